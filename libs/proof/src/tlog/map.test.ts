import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reasonOf } from '../../test/reason-of.ts';
import { fromHex, hex, tlogVectors } from '../../test/tlog-vectors.ts';
import { sha256 } from '../bytes.ts';
import { buildMap, buildMapInSlices, fillerEntry, headSalt, rootOfMapEntry } from './map.ts';
import type { MapEntry } from './map.ts';
import { tileHashes } from './tile.ts';

/** The entries of map.json, as its member `entries` describes them. */
function vectorEntries(size: number): MapEntry[] {
  const entries = Array.from({ length: size }, (_, i) => ({
    key: sha256(`witan-vector/map-key/${i}`),
    value: sha256(`witan-vector/map-value/${i}`),
  }));
  if (size !== 7) return entries;
  const key = Uint8Array.from(entries[0]!.key);
  key[31]! ^= 0x80 >> 2;
  return entries.with(1, { ...entries[1]!, key });
}

const all = (entries: readonly MapEntry[]): number[] => entries.map((_, i) => i);

describe('the map of an epoch', () => {
  it.each(tlogVectors('map').maps)('equals that of the Go program: $size keys', (vector) => {
    const entries = vectorEntries(vector.size);
    const { root, paths } = buildMap(entries, all(entries));
    expect(hex(root)).toBe(vector.root);
    for (const { index, key, value, path } of vector.proofs) {
      expect([hex(entries[index]!.key), hex(entries[index]!.value)]).toEqual([key, value]);
      const given = tileHashes(fromHex(path));
      expect(paths[index]!.map(hex)).toEqual(given.map(hex));
      expect(hex(rootOfMapEntry(entries[index]!, given))).toBe(vector.root);
    }
  });

  it('is the same in every order of its entries, and proves each of them', () => {
    const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const entry = fc.record({ key: bytes, value: bytes });
    const entries = fc.uniqueArray(entry, { selector: ({ key }) => hex(key), maxLength: 40 });
    fc.assert(
      fc.property(entries, (given) => {
        const { root, paths } = buildMap(given, all(given));
        expect(buildMap(given.toReversed(), []).root).toEqual(root);
        for (const [i, one] of given.entries()) {
          expect(rootOfMapEntry(one, paths[i]!)).toEqual(root);
          const changed = { ...one, value: sha256(one.value) };
          expect(rootOfMapEntry(changed, paths[i]!)).not.toEqual(root);
        }
      }),
      { numRuns: 60 },
    );
  });

  it.each([0, 1, 1_024, 5_000])('is the same in slices: %d keys', async (size) => {
    const entries = vectorEntries(size);
    const wanted = [size - 1, 0, Math.floor(size / 2)].filter((i) => i >= 0 && i < size);
    const positions = [...new Set(wanted)];
    let pauses = 0;
    const pause = async (): Promise<void> => void (pauses += 1);
    const built = await buildMapInSlices(entries, positions, pause);
    expect(built).toEqual(buildMap(entries, positions));
    for (const [i, position] of positions.entries()) {
      expect(rootOfMapEntry(entries[position]!, built.paths[i]!)).toEqual(built.root);
    }
    expect(pauses > 0).toBe(size > 1_024);
  });

  it('has a key once in slices, too', async () => {
    const entries = [...vectorEntries(2_000), ...vectorEntries(1)];
    await expect(buildMapInSlices(entries, [], async () => {})).rejects.toThrow(RangeError);
  });

  it('has a key once', () => {
    const entry = { key: sha256('a'), value: sha256('b') };
    expect(() => buildMap([entry, { ...entry, value: sha256('c') }], [])).toThrow(RangeError);
  });

  it('of no keys is 32 zero bytes', () => {
    expect(hex(buildMap([], []).root)).toBe('00'.repeat(32));
  });

  it('has no leaf beside an empty subtree, but empty subtrees above', () => {
    const [one, other] = vectorEntries(2);
    const { root, paths } = buildMap([one!, other!], [0]);
    expect(rootOfMapEntry(one!, paths[0]!)).toEqual(root);
    const empty = new Uint8Array(32);
    expect(rootOfMapEntry(one!, [...paths[0]!, empty])).toHaveLength(32);
    expect(reasonOf(() => rootOfMapEntry(one!, [empty, ...paths[0]!]))).toBe('epoch');
    expect(reasonOf(() => rootOfMapEntry(one!, [empty]))).toBe('epoch');
  });

  it('has other values, but not other filler keys, in the next epoch', () => {
    const secret = sha256('secret');
    expect(headSalt(secret, 1)).not.toEqual(headSalt(secret, 2));
    const [one, two] = [fillerEntry(secret, 3, 1), fillerEntry(secret, 3, 2)];
    expect(one.key).toEqual(two.key);
    expect(one.value).not.toEqual(two.value);
    expect(fromHex(hex(one.key))).toHaveLength(32);
  });
});

import { describe, expect, it } from '@jest/globals';
import { ENTRY_BYTES } from '@witan/proof/tlog/bundle';
import { ChangedEntriesError, parseEntries, parseEntriesInSlices } from './grow-tree.ts';

const HASH_BYTES = 32;

const entryOf = (i: number): Buffer => {
  const entry = Buffer.alloc(ENTRY_BYTES);
  entry.writeUInt32BE(i);
  entry.writeUInt32BE(i, HASH_BYTES);
  return entry;
};
const textOf = (count: number): string =>
  Array.from({ length: count }, (_, i) => {
    const entry = entryOf(i);
    const hash = entry.subarray(0, HASH_BYTES).toString('hex');
    return hash + entry.subarray(HASH_BYTES).toString('base64');
  }).join('');

describe('the entries of certificates', () => {
  it.each([
    { count: 0, pauses: 0 },
    { count: 1, pauses: 0 },
    { count: 2_048, pauses: 0 },
    { count: 2_049, pauses: 1 },
    { count: 5_000, pauses: 2 },
  ])('are parsed in slices: $count', async ({ count, pauses }) => {
    let paused = 0;
    const pause = async (): Promise<void> => void (paused += 1);
    const entries = await parseEntriesInSlices(textOf(count), count, pause);
    expect(Buffer.concat(entries)).toEqual(Buffer.concat(parseEntries(textOf(count), count)));
    expect(entries).toHaveLength(count);
    expect(paused).toBe(pauses);
  });

  it.each([2_999, 3_001])('are refused if %d are expected of 3000', async (count) => {
    const parsed = parseEntriesInSlices(textOf(3_000), count, async () => {});
    await expect(parsed).rejects.toThrow(ChangedEntriesError);
  });

  it('are refused with characters that are not of their form', async () => {
    const text = `${textOf(2_999)}${'0'.repeat(2 * HASH_BYTES)}!${'A'.repeat(87)}`;
    const parsed = parseEntriesInSlices(text, 3_000, async () => {});
    await expect(parsed).rejects.toThrow(ChangedEntriesError);
  });
});

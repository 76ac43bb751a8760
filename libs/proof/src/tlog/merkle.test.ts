import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromHex, hex, tlogVectors, vectorEntry } from '../../test/tlog-vectors.ts';
import { sha256Hex } from '../bytes.ts';
import {
  appendLeaf,
  consistencySubtrees,
  edgeRoot,
  inclusionSubtrees,
  isConsistent,
  leafHash,
  nodeHash,
  rootOfInclusion,
} from './merkle.ts';
import type { RightEdge } from './merkle.ts';
import { foldComplete, hashesFromTiles, parseTilePath, tilePath, TILE_WIDTH } from './tile.ts';
import type { Tile } from './tile.ts';

/** The tree of the definition in RFC 6962, which shares no code with the library but two hashes. */
function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return fromHex(sha256Hex(''));
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (2 * split < leaves.length) split *= 2;
  return nodeHash(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}

/** Returns the tiles of a tree; `read` returns the bytes of one. */
function tilesOf(leaves: readonly Uint8Array[]): (tile: Tile) => Uint8Array {
  const levels = [leaves];
  for (let row = leaves; row.length >= TILE_WIDTH;) {
    const full = Math.floor(row.length / TILE_WIDTH);
    row = Array.from({ length: full }, (_, n) =>
      foldComplete(row.slice(n * TILE_WIDTH, (n + 1) * TILE_WIDTH)),
    );
    levels.push(row);
  }
  return ({ level, n, width }) => {
    const hashes = levels[level as number]!.slice(n * TILE_WIDTH, n * TILE_WIDTH + width);
    if (hashes.length !== width) throw new Error('The tree does not have this tile.');
    return new Uint8Array(Buffer.concat(hashes));
  };
}

const leavesOf = (count: number): Uint8Array[] =>
  Array.from({ length: count }, (_, i) => leafHash(vectorEntry(i)));

describe('a Merkle tree', () => {
  const { leafHashes, roots } = tlogVectors('merkle');

  // Building two trees of 2^20 leaves would take half a minute; proofs below end in their roots.
  const SIZE_MAX = 100_000;
  const largeSizes = Object.keys(roots).filter((size) => Number(size) > SIZE_MAX);

  it('has the leaf hashes and roots of golang.org/x/mod for 312 sizes up to 100,000', () => {
    expect(leafHashes.map((_, i) => hex(leafHash(vectorEntry(i))))).toEqual(leafHashes);
    const edge: RightEdge = [];
    const actual: Record<string, string> = { 0: hex(edgeRoot([])) };
    for (let size = 0; size < SIZE_MAX; size += 1) {
      appendLeaf(edge, size, leafHash(vectorEntry(size)));
      if (String(size + 1) in roots) actual[size + 1] = hex(edgeRoot(edge));
    }
    const { [largeSizes[0]!]: _one, [largeSizes[1]!]: _other, ...others } = roots;
    expect(actual).toEqual(others);
  });

  it('has proofs that end in the roots of the two larger trees', () => {
    const proven = new Map(
      [...tlogVectors('inclusion').proofs, ...tlogVectors('consistency').proofs].map(
        ({ size, root }) => [String(size), root],
      ),
    );
    expect(largeSizes).toEqual(['1048575', '1048576']);
    expect(largeSizes.map((size) => proven.get(size))).toEqual(
      largeSizes.map((size) => roots[size]),
    );
  });

  const tiles = tilesOf(leavesOf(70_000));
  const leaves = leavesOf(1_100);

  it('verifies, and makes, the 692 inclusion proofs of golang.org/x/mod', async () => {
    for (const { index, size, leafHash: leaf, proof, root } of tlogVectors('inclusion').proofs) {
      const given = { index, size, leaf: fromHex(leaf), proof: proof.map(fromHex) };
      expect(hex(rootOfInclusion(given)!)).toBe(root);
      if (size > 70_000) continue;
      const made = await hashesFromTiles(inclusionSubtrees(index, size), size, tiles);
      expect(made.map(hex)).toEqual(proof);
    }
  });

  it('verifies, and makes, the 732 consistency proofs of golang.org/x/mod', async () => {
    for (const vector of tlogVectors('consistency').proofs) {
      const { old: oldSize, size } = vector;
      const [oldRoot, root] = [fromHex(vector.oldRoot), fromHex(vector.root)];
      const given = { oldSize, oldRoot, size, root, proof: vector.proof.map(fromHex) };
      expect([vector.old, vector.size, isConsistent(given)]).toEqual([oldSize, size, true]);
      if (size > 70_000) continue;
      const made = await hashesFromTiles(consistencySubtrees(oldSize, size), size, tiles);
      expect(made.map(hex)).toEqual(vector.proof);
    }
  });

  const damage = (proof: Uint8Array[]): Uint8Array[][] => {
    const other = fromHex(sha256Hex('other'));
    return [
      [...proof, other],
      [other, ...proof],
      ...proof.flatMap((_, i) => [proof.toSpliced(i, 1), proof.toSpliced(i, 1, other)]),
      ...(proof.length > 1 ? [[proof.at(-1)!, ...proof.slice(0, -1)]] : []),
    ];
  };

  it('refuses every damaged proof', () => {
    const accepted: boolean[] = [];
    for (const { index, size, leafHash: leaf, proof, root } of tlogVectors('inclusion').proofs) {
      for (const damaged of damage(proof.map(fromHex))) {
        const actual = rootOfInclusion({ index, size, leaf: fromHex(leaf), proof: damaged });
        accepted.push(actual !== undefined && hex(actual) === root);
      }
    }
    for (const { old: oldSize, size, ...vector } of tlogVectors('consistency').proofs) {
      const [oldRoot, root] = [fromHex(vector.oldRoot), fromHex(vector.root)];
      for (const proof of damage(vector.proof.map(fromHex))) {
        accepted.push(isConsistent({ oldSize, oldRoot, size, root, proof }));
      }
    }
    expect(accepted.length).toBeGreaterThan(4_911);
    expect(accepted.filter(Boolean)).toEqual([]);
  });

  it('has the root of the definition, and proves its leaves and no others', async () => {
    const size = fc.integer({ min: 1, max: leaves.length });
    await fc.assert(
      fc.asyncProperty(size, fc.nat(), fc.nat(), async (count, a, b) => {
        const read = tilesOf(leaves.slice(0, count));
        const root = rootOf(leaves.slice(0, count));
        const [index, otherIndex] = [a % count, b % count];
        const proof = await hashesFromTiles(inclusionSubtrees(index, count), count, read);
        const actual = rootOfInclusion({ index, size: count, leaf: leaves[index]!, proof });
        expect(hex(actual!)).toBe(hex(root));
        if (otherIndex === index) return;
        const leaf = leaves[otherIndex]!;
        const wrongLeaf = rootOfInclusion({ index, size: count, leaf, proof });
        expect(hex(wrongLeaf!)).not.toBe(hex(root));
        const moved = { index: otherIndex, size: count, leaf: leaves[index]!, proof };
        expect(rootOfInclusion(moved)).not.toEqual(root);
      }),
      { numRuns: 60 },
    );
  });

  it('is consistent with each smaller one', async () => {
    const size = fc.integer({ min: 1, max: leaves.length });
    await fc.assert(
      fc.asyncProperty(size, size, async (a, b) => {
        const [oldSize, newSize] = [Math.min(a, b), Math.max(a, b)];
        const [oldRoot, root] = [oldSize, newSize].map((count) => rootOf(leaves.slice(0, count)));
        const read = tilesOf(leaves.slice(0, newSize));
        const proof = await hashesFromTiles(consistencySubtrees(oldSize, newSize), newSize, read);
        const given = { oldSize, size: newSize, oldRoot: oldRoot!, root: root!, proof };
        expect(isConsistent(given)).toBe(true);
        expect(isConsistent({ ...given, root: leafHash('another') })).toBe(false);
        expect(isConsistent({ ...given, oldRoot: leafHash('') })).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('cannot be proved for a larger old size, or from no leaves with hashes', () => {
    const root = leafHash('a');
    const empty = edgeRoot([]);
    expect(isConsistent({ oldSize: 2, oldRoot: root, size: 1, root, proof: [] })).toBe(false);
    expect(isConsistent({ oldSize: 0, oldRoot: empty, size: 1, root, proof: [] })).toBe(true);
    expect(isConsistent({ oldSize: 0, oldRoot: empty, size: 1, root, proof: [root] })).toBe(false);
    expect(isConsistent({ oldSize: 0, oldRoot: root, size: 1, root, proof: [] })).toBe(false);
    expect(rootOfInclusion({ index: 1, size: 1, leaf: root, proof: [] })).toBeUndefined();
  });

  it('computes with sizes that do not fit into 32 bits', () => {
    const size = 2 ** 52 + 1;
    const leaf = leafHash('last');
    const rest = leafHash('all others');
    expect(rootOfInclusion({ index: size - 1, size, leaf, proof: [rest] })).toEqual(
      nodeHash(rest, leaf),
    );
    expect(inclusionSubtrees(size - 1, size)).toEqual([[{ level: 52, n: 0 }]]);
  });
});

describe('a tile', () => {
  const { paths, trees } = tlogVectors('tiles');

  it.each(paths)('has the path of torchwood: $path', ({ path, ...tile }) => {
    expect(tilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it.each([
    'tile/00/000',
    'tile/0/x000/000',
    'tile/0/1',
    'tile/0/0000',
    'tile/0/000.p/0',
    'tile/0/000.p/256',
    'tile/0/000.p/01',
    'tile/64/000',
    'tile/-1/000',
    'tile/entries/x000/001',
    '/tile/0/000',
    'tile/0/000/',
    'tile/0/x001',
    'tile/0/x999/x999/x999/x999/x999/999',
  ])('has no second spelling: %s', (path) => {
    expect(parseTilePath(path)).toBeUndefined();
  });

  const readBottomTile = ({ n, width }: Tile): Uint8Array =>
    Buffer.concat(
      Array.from({ length: width }, (_, i) => leafHash(vectorEntry(n * TILE_WIDTH + i))),
    );

  it.each(trees)('has the bytes of golang.org/x/mod in a tree of $size', ({ size, tiles }) => {
    // Upper tiles of the tree of 2^20 leaves need all of these, which take half a minute.
    const isLarge = size > 70_000;
    const read = isLarge ? readBottomTile : tilesOf(leavesOf(size));
    const checked = tiles.filter(({ path }) => !isLarge || path.startsWith('tile/0/'));
    expect(checked.length).toBeGreaterThanOrEqual(tiles.length / 2);
    for (const { path, bytes, sha256 } of checked) {
      const actual = read(parseTilePath(path)!);
      expect([path, actual.length, sha256Hex(actual)]).toEqual([path, bytes, sha256]);
    }
  });
});

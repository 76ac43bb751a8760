import { expect, it } from '@jest/globals';
import { joinBytes } from '../bytes.ts';
import { splitEntries } from './entry-bundle.ts';
import { appendLeaf, edgeRoot, leafHash } from './merkle.ts';
import { mirrorTiles } from './mirror-tiles.ts';
import type { OpenTiles } from './mirror-tiles.ts';
import { tilePath, tileWidth } from './tile.ts';

/** Runs of a mirror, each up to a size; resolves with its files. */
const mirror = (sizes: readonly number[]): Map<string, Uint8Array> => {
  const files = new Map<string, Uint8Array>();
  const edge: Uint8Array[] = [];
  let open: OpenTiles = { entries: [], hashes: [] };
  let size = 0;
  for (const next of sizes) {
    const entries = Array.from({ length: next - size }, (_, i) => `entry ${size + i}\n`);
    const result = mirrorTiles({ size, edge, open }, entries);
    for (const { path, bytes } of result.files) files.set(path, bytes);
    for (const [i, entry] of entries.entries()) appendLeaf(edge, size + i, leafHash(entry));
    ({ open } = result);
    size = next;
  }
  return files;
};

const LAST = 2 * 65_536 + 3 * 256 + 5;

it.each([
  ['at once', [LAST]],
  ['in steps', [1, 255, 256, 257, 600, 65_535, 65_537, 131_072, LAST - 1, LAST]],
])('has all tiles of a log that was read %s', (_name, sizes) => {
  const files = mirror(sizes);
  for (const level of ['entries', 0, 1, 2] as const) {
    for (let n = 0; ; n += 1) {
      const width = tileWidth({ level, n }, LAST);
      if (width === 0) break;
      const bytes = files.get(tilePath({ level, n, width }))!;
      const count = level === 'entries' ? splitEntries(bytes).length : bytes.length / 32;
      expect([level, n, count]).toEqual([level, n, width]);
    }
  }
  const leaves = Array.from({ length: 256 }, (_, i) => leafHash(`entry ${256 + i}\n`));
  expect(files.get('tile/0/001')).toEqual(joinBytes(leaves));
  const edge: Uint8Array[] = [];
  for (const [i, leaf] of leaves.entries()) appendLeaf(edge, i, leaf);
  expect(files.get('tile/1/000')!.slice(32, 64)).toEqual(edgeRoot(edge));
});

import { joinEntries } from '@witan/proof/tlog/entry-bundle';
import { leafHash } from '@witan/proof/tlog/merkle';
import type { Subtree } from '@witan/proof/tlog/merkle';
import { hashesFromTiles, TILE_WIDTH, tileWidth } from '@witan/proof/tlog/tile';
import type { Tile } from '@witan/proof/tlog/tile';
import { HASH_BYTES } from '@witan/proof/tlog/merkle';

/** What the tiles of the log, or of the tree of a workspace, are made of. */
export type TileSource = {
  /** Returns the stored hashes of a tile; of level 0 full tiles only are stored. */
  findTile: (level: number, n: number) => Promise<Uint8Array | undefined>;
  /** Returns the entries from index `first` up to and without `last`. */
  readEntries: (first: number, last: number) => Promise<Uint8Array[]>;
};

/** Thrown if a tile that a published size needs is missing or too short. */
export class MissingTileError extends Error {}

/**
 * Returns the bytes of a tile of a tree of `size` leaves, in any width up to the one that it has
 * there; undefined if the tree does not have it.
 */
export const readTile = async (
  source: TileSource,
  tile: Tile,
  size: number,
): Promise<Uint8Array | undefined> => {
  if (tile.width > tileWidth(tile, size)) return undefined;
  const first = tile.n * TILE_WIDTH;
  const last = first + tile.width;
  if (tile.level === 'entries') return joinEntries(await source.readEntries(first, last));
  const stored = await source.findTile(tile.level, tile.n);
  if (stored && stored.length >= tile.width * HASH_BYTES) {
    return stored.subarray(0, tile.width * HASH_BYTES);
  }
  if (tile.level > 0 || tile.width === TILE_WIDTH) {
    throw new MissingTileError(`Tile ${tile.level}/${tile.n} is missing or too short.`);
  }
  const entries = await source.readEntries(first, last);
  if (entries.length !== tile.width) throw new MissingTileError('Entries of a tile are missing.');
  return Buffer.concat(entries.map(leafHash));
};

/** Returns the hashes of a proof of a tree of `size` leaves. */
export const readProof = (
  source: TileSource,
  proof: readonly (readonly Subtree[])[],
  size: number,
): Promise<Uint8Array[]> =>
  hashesFromTiles(proof, size, async (tile) => {
    const bytes = await readTile(source, tile, size);
    if (!bytes) throw new MissingTileError('A proof needs a tile beyond its tree.');
    return bytes;
  });

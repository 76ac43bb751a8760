import { ProofError } from '../errors.ts';
import { foldRight, HASH_BYTES, nodeHash } from './merkle.ts';
import type { Subtree } from './merkle.ts';

/** Number of hashes of a full tile (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
/** Number of levels of the tree that a tile spans. */
const TILE_HEIGHT = 8;

/**
 * A tile: hashes `n * 256` to `n * 256 + width - 1` of a tree at height `8 * level`, or the entries
 * of those leaves. It is partial if `width` is below 256.
 */
export type Tile = { level: number | 'entries'; n: number; width: number };

/** Returns the path of a tile, such as `tile/0/x001/234.p/5`. */
export function tilePath({ level, n, width }: Tile): string {
  const groups = String(n)
    .padStart(Math.ceil(String(n).length / 3) * 3, '0')
    .match(/.{3}/g)!;
  const name = groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/');
  return `tile/${level}/${name}${width === TILE_WIDTH ? '' : `.p/${width}`}`;
}

const PATH =
  /^tile\/(?<level>0|[1-9]|[1-5]\d|6[0-3]|entries)\/(?<n>(?:x\d{3}\/){0,5}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/;

/** Returns the tile of a path, or undefined for every other spelling. */
export function parseTilePath(path: string): Tile | undefined {
  const { level, n, width } = PATH.exec(path)?.groups ?? {};
  if (level === undefined || n === undefined) return undefined;
  const tile: Tile = {
    level: level === 'entries' ? level : Number(level),
    n: Number(n.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  return Number.isSafeInteger(tile.n) && tilePath(tile) === path ? tile : undefined;
}

/** Returns the number of hashes that a tree of `size` leaves has in a tile, 0 to 256. */
export function tileWidth({ level, n }: Pick<Tile, 'level' | 'n'>, size: number): number {
  const hashes = Math.floor(size / TILE_WIDTH ** (level === 'entries' ? 0 : level));
  return Math.max(0, Math.min(TILE_WIDTH, hashes - n * TILE_WIDTH));
}

/** Returns the tile that holds the hashes of a subtree, in the width that a tree of `size` has. */
export function tileOf({ level: height, n }: Subtree, size: number): Tile & { level: number } {
  const level = Math.floor(height / TILE_HEIGHT);
  const position = { level, n: Math.floor((n * 2 ** (height % TILE_HEIGHT)) / TILE_WIDTH) };
  return { ...position, width: tileWidth(position, size) };
}

/** Returns the hashes of a tile; a surplus of bytes at its end is ignored. */
export function tileHashes(bytes: Uint8Array): Uint8Array[] {
  const count = Math.floor(bytes.length / HASH_BYTES);
  return Array.from({ length: count }, (_, i) =>
    bytes.subarray(i * HASH_BYTES, (i + 1) * HASH_BYTES),
  );
}

/**
 * Returns the hash of a subtree from the bytes of its tile. Throws ProofError `note` if
 * the tile ends before it.
 */
export function subtreeHash({ level: height, n }: Subtree, tile: Uint8Array): Uint8Array {
  const width = 2 ** (height % TILE_HEIGHT);
  const start = (n * width) % TILE_WIDTH;
  const hashes = tileHashes(tile).slice(start, start + width);
  if (hashes.length !== width) throw new ProofError('note', 'a tile ends before the subtree');
  return foldComplete(hashes);
}

/** Returns the root of a complete tree, whose number of leaves is a power of 2. */
export function foldComplete(hashes: readonly Uint8Array[]): Uint8Array {
  let row = hashes;
  while (row.length > 1) {
    row = Array.from({ length: row.length / 2 }, (_, i) => nodeHash(row[2 * i]!, row[2 * i + 1]!));
  }
  return row[0]!;
}

/** Returns the bytes of a tile of a tree of `size` leaves. */
export type TileReader = (tile: Tile & { level: number }) => Uint8Array | Promise<Uint8Array>;

/**
 * Resolves with the hashes of a proof of a tree of `size` leaves, which `inclusionSubtrees` or
 * `consistencySubtrees` describes. Reads each tile once.
 */
export async function hashesFromTiles(
  proof: readonly (readonly Subtree[])[],
  size: number,
  read: TileReader,
): Promise<Uint8Array[]> {
  const tiles = new Map<string, Tile & { level: number }>();
  for (const subtree of proof.flat()) {
    const tile = tileOf(subtree, size);
    tiles.set(tilePath(tile), tile);
  }
  const bytes = new Map<string, Uint8Array>();
  for (const [path, tile] of tiles) bytes.set(path, await read(tile));
  return proof.map((subtrees) =>
    foldRight(
      subtrees.map((subtree) => subtreeHash(subtree, bytes.get(tilePath(tileOf(subtree, size)))!)),
    ),
  );
}

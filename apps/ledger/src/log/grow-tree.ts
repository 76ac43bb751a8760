import { ENTRY_BYTES } from '@witan/proof/tlog/bundle';
import { appendLeaf, edgeRoot, HASH_BYTES, leafHash } from '@witan/proof/tlog/merkle';
import type { RightEdge } from '@witan/proof/tlog/merkle';
import { TILE_WIDTH, tileHashes } from '@witan/proof/tlog/tile';

/** A Merkle tree that grows; `edge` is its right edge, the largest subtree first. */
export type Tree = { size: number; edge: Uint8Array };

/** Hashes that are appended to tile `n` of a level; of level 0 always a whole tile. */
export type TileGrowth = { level: number; n: number; hashes: Uint8Array };

export type GrownTree = Tree & { root: Uint8Array; tiles: TileGrowth[] };

/** Thrown if stored entries are not those that the tree was made of. */
export class ChangedEntriesError extends Error {}

/** Number of leaves that are hashed without a pause, which takes about 5 ms. */
const SLICE = 2_048;
/** Number of levels of the tree that a tile spans. */
const TILE_HEIGHT = 8;

/**
 * Returns the index of the first entry that is needed to grow a tree to a size: that of its first
 * new entry, or if this completes a tile, that of the tile's first entry.
 */
export const firstEntryFor = (tree: Pick<Tree, 'size'>, size: number): number => {
  const tileStart = tree.size - (tree.size % TILE_WIDTH);
  return size - tileStart >= TILE_WIDTH ? tileStart : tree.size;
};

/**
 * Returns the tree with the entries from index `first` on, of which those before the size of the
 * tree are known already. Throws ChangedEntriesError if those are not what the edge was made of.
 * Pauses between slices, so as not to block other work.
 */
export const growTree = async (
  tree: Tree,
  { first, entries }: { first: number; entries: readonly (string | Uint8Array)[] },
  pause: () => Promise<void>,
): Promise<GrownTree> => {
  const leaves: Uint8Array[] = [];
  for (const [i, entry] of entries.entries()) {
    if (i % SLICE === SLICE - 1) await pause();
    leaves.push(leafHash(entry));
  }
  const edge = tileHashes(tree.edge);
  const known = leaves.slice(0, tree.size - first);
  if (!isRightEdge(edge, known)) {
    throw new ChangedEntriesError('Stored certificates are not those that the tree was made of.');
  }
  const tiles: TileGrowth[] = [];
  for (let i = known.length; i < leaves.length; i += 1) {
    const size = first + i;
    if (i % SLICE === SLICE - 1) await pause();
    appendLeaf(edge, size, leaves[i]!, (level, hash) => {
      if (level % TILE_HEIGHT === 0) addHash(tiles, { level, end: size + 1, hash });
    });
    if ((size + 1) % TILE_WIDTH === 0) {
      const n = (size + 1) / TILE_WIDTH - 1;
      const hashes = leaves.slice(i + 1 - TILE_WIDTH, i + 1);
      tiles.push({ level: 0, n, hashes: Buffer.concat(hashes) });
    }
  }
  const size = first + leaves.length;
  return { size, edge: Buffer.concat(edge), root: edgeRoot(edge), tiles };
};

/** Returns whether an edge ends with these leaves, the last ones, from the start of a tile. */
export const isRightEdge = (edge: RightEdge, leaves: readonly Uint8Array[]): boolean => {
  const rebuilt: RightEdge = [];
  for (const [i, leaf] of leaves.entries()) appendLeaf(rebuilt, i, leaf);
  const stored = edge.slice(edge.length - rebuilt.length);
  return Buffer.concat(rebuilt).equals(Buffer.concat(stored));
};

/** Adds the hash of a complete subtree, which ends at leaf `end`, to the tile of its level. */
const addHash = (
  tiles: TileGrowth[],
  { level: height, end, hash }: { level: number; end: number; hash: Uint8Array },
): void => {
  const level = height / TILE_HEIGHT;
  const n = Math.floor((end / TILE_WIDTH ** level - 1) / TILE_WIDTH);
  const tile = tiles.find((one) => one.level === level && one.n === n);
  if (tile) tile.hashes = Buffer.concat([tile.hashes, hash]);
  else tiles.push({ level, n, hashes: hash });
};

const HASH_CHARACTERS = 2 * HASH_BYTES;
const SIGNATURE_CHARACTERS = 88;

/** Characters of `payload_hash` in hex and `signature` in base64. */
export const ENTRY_CHARACTERS = HASH_CHARACTERS + SIGNATURE_CHARACTERS;

/**
 * Returns the entries of certificates from the text of their hashes and signatures, one after the
 * other. Throws ChangedEntriesError if it is not that of `count` certificates.
 */
export const parseEntries = (text: string, count: number): Uint8Array[] => {
  if (text.length !== count * ENTRY_CHARACTERS) {
    throw new ChangedEntriesError('Stored certificates are missing or have another form.');
  }
  return Array.from({ length: count }, (_, i) => {
    const at = i * ENTRY_CHARACTERS;
    const hash = Buffer.from(text.slice(at, at + HASH_CHARACTERS), 'hex');
    const signature = Buffer.from(
      text.slice(at + HASH_CHARACTERS, at + ENTRY_CHARACTERS),
      'base64',
    );
    const entry = Buffer.concat([hash, signature]);
    if (entry.length === ENTRY_BYTES) return entry;
    throw new ChangedEntriesError('A stored certificate has another form.');
  });
};

/** As {@link parseEntries}, with a pause after each slice, so as not to block other work. */
export const parseEntriesInSlices = async (
  text: string,
  count: number,
  pause: () => Promise<void>,
): Promise<Uint8Array[]> => {
  if (text.length !== count * ENTRY_CHARACTERS) return parseEntries(text, count);
  const entries: Uint8Array[] = [];
  for (let first = 0; first < count; first += SLICE) {
    if (first > 0) await pause();
    const size = Math.min(SLICE, count - first);
    const at = first * ENTRY_CHARACTERS;
    entries.push(...parseEntries(text.slice(at, at + size * ENTRY_CHARACTERS), size));
  }
  return entries;
};

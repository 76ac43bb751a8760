import { leafHash } from '@witan/proof/tlog/merkle';
import { TILE_WIDTH, tileHashes } from '@witan/proof/tlog/tile';
import { ChangedEntriesError, isRightEdge } from './grow-tree.ts';
import type { Tree } from './grow-tree.ts';
import type { TileSource } from './read-tile.ts';

export type StoredTree = Tree & { workspaceId: string };

export type TreeSample = {
  /** Returns at most `limit` trees in the order of their map keys, from the key `from` on. */
  findTrees: (from: Uint8Array, limit: number) => Promise<StoredTree[]>;
  treeTiles: (workspaceId: string) => TileSource;
};

type Deps = TreeSample & {
  /** Returns 32 random bytes. */
  newSecret: () => Uint8Array;
  /** Returns a number from 0 inclusive to 1 exclusive. */
  random: () => number;
};

/** Trees of one audit, of which 256 certificates each are read. */
const TREES_MAX = 8;

/**
 * Compares a random tile of some random trees with the certificates that are stored. Returns the
 * workspaces whose certificates are not those that the tree was made of.
 */
export const auditTrees = async (deps: Deps): Promise<string[]> => {
  const changed: string[] = [];
  // Map keys are hashes, so each tree is as likely as the others.
  for (const tree of await deps.findTrees(deps.newSecret(), TREES_MAX)) {
    const n = Math.floor(deps.random() * Math.ceil(tree.size / TILE_WIDTH));
    if (!(await isSound(deps.treeTiles(tree.workspaceId), tree, n))) changed.push(tree.workspaceId);
  }
  return changed;
};

const isSound = async (tiles: TileSource, tree: StoredTree, n: number): Promise<boolean> => {
  const first = n * TILE_WIDTH;
  const last = Math.min(first + TILE_WIDTH, tree.size);
  const entries = await tiles.readEntries(first, last).catch((error: unknown) => {
    if (error instanceof ChangedEntriesError) return undefined;
    throw error;
  });
  if (entries === undefined) return false;
  const leaves = entries.map(leafHash);
  // The last tile is stored when it is full; until then the right edge has its hashes.
  if (leaves.length < TILE_WIDTH) return isRightEdge(tileHashes(tree.edge), leaves);
  const stored = await tiles.findTile(0, n);
  return stored !== undefined && Buffer.concat(leaves).equals(stored);
};

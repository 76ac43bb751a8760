import { parsePolicy, ProofError } from '@witan/proof';
import { followLog } from '@witan/proof/tlog/follow-log';
import type { FetchFile, LogPosition } from '@witan/proof/tlog/follow-log';
import { lossEntry } from '@witan/proof/tlog/loss';
import { foldRight, subtreesOf } from '@witan/proof/tlog/merkle';
import { TILE_WIDTH } from '@witan/proof/tlog/tile';
import { firstEntryFor, growTree } from './grow-tree.ts';
import type { GrownTree, Tree } from './grow-tree.ts';
import type { Published } from './publish.ts';
import { readProof } from './read-tile.ts';
import type { TileSource } from './read-tile.ts';

/** An epoch as a mirror has it. */
export type AdoptedEpoch = Pick<GrownTree, 'root' | 'tiles'> & { n: number; entry: string };

export type AdoptTransaction = {
  /** Keys that the log ever had, its number of epochs, and its last published checkpoint. */
  load: () => Promise<{ vkeys: string[]; size: number; published: Published | undefined }>;
  /** Returns the trees with heads in epochs from `first` on, and their sizes before; 0 if none. */
  findTreesSince: (first: number) => Promise<{ workspaceId: string; size: number }[]>;
  /** Removes a tree of size 0, or makes it as small as it was. */
  cutTree: (workspaceId: string, tree: Tree & { root: Uint8Array }) => Promise<void>;
  /** Removes the epochs from `first` on, and the heads in them. */
  cutLog: (first: number) => Promise<void>;
  append: (epoch: AdoptedEpoch) => Promise<void>;
  saveState: (log: Tree) => Promise<void>;
};

type Deps = {
  /** Runs work in a transaction during which no replica writes epochs. */
  run: <T>(work: (transaction: AdoptTransaction) => Promise<T>) => Promise<T>;
  /** The tiles as they are committed. */
  logTiles: TileSource;
  treeTiles: (workspaceId: string) => TileSource;
};

export type Adopted = {
  /** Number of epochs that the database did not have, and the first of them. */
  epochs: number;
  first: number;
  /** Number of unpublished epochs that were removed, because the log has others in their place. */
  removed: number;
  /** Number of epochs of the log now; the last one states the loss. */
  size: number;
};

/**
 * Gives a database that was restored from a backup the epochs that it lacks, from a mirror of the
 * log, so that the log goes on without a fork, and appends an entry that states the loss. Epochs
 * that the database has written meanwhile are replaced; their certificates come into later ones.
 * Writes all or nothing, and nothing if no epoch is missing. Throws Error if the mirror is not an
 * extension of what the database has published.
 */
export const adoptLog = (deps: Deps, fetchFile: FetchFile): Promise<Adopted> =>
  deps.run(async (transaction) => {
    const { vkeys, size, published } = await transaction.load();
    const mirrored = await readMirror(deps, { vkeys, published }, fetchFile);
    const from = published?.size ?? 0;
    const own = await deps.logTiles.readEntries(from, size);
    const common = mirrored.findIndex((entry, i) => own[i]?.toString() !== entry);
    if (common === -1) return { epochs: 0, first: size, removed: 0, size };
    const first = from + common;
    if (size > first) await cutLog(deps, transaction, first);
    const epochs = mirrored.slice(common);
    const loss = lossEntry({ first, last: first + epochs.length - 1 });
    await appendEntries(deps, transaction, { first, entries: [...epochs, loss] });
    const removed = size - first;
    return { epochs: epochs.length, first, removed, size: first + epochs.length + 1 };
  });

/** Returns the entries of a mirror since the published checkpoint, verified. */
const readMirror = async (
  { logTiles }: Deps,
  { vkeys, published }: { vkeys: readonly string[]; published: Published | undefined },
  fetchFile: FetchFile,
): Promise<string[]> => {
  const policy = parsePolicy([...vkeys.map((vkey) => `log ${vkey}`), 'quorum none', ''].join('\n'));
  const last: LogPosition | undefined = published && {
    ...{ note: published.note, size: published.size },
    edge: Buffer.concat(await readEdge(logTiles, published.size)),
  };
  try {
    return (await followLog(last, policy, fetchFile)).entries;
  } catch (error) {
    if (!(error instanceof ProofError)) throw error;
    throw new Error(
      `The mirror does not continue what this database has published: ${error.detail}. ` +
        'Nothing was changed.',
      { cause: error },
    );
  }
};

const readEdge = (tiles: TileSource, size: number): Promise<Uint8Array[]> =>
  readProof(
    tiles,
    subtreesOf(0, size).map((one) => [one]),
    size,
  );

/** Trees keep their certificates; what is cut off grows again in the next epoch. */
const cutLog = async (
  { treeTiles }: Deps,
  transaction: AdoptTransaction,
  first: number,
): Promise<void> => {
  for (const { workspaceId, size } of await transaction.findTreesSince(first)) {
    const edge = await readEdge(treeTiles(workspaceId), size);
    const root = size === 0 ? new Uint8Array() : foldRight(edge);
    await transaction.cutTree(workspaceId, { size, edge: Buffer.concat(edge), root });
  }
  await transaction.cutLog(first);
};

const appendEntries = async (
  { logTiles }: Deps,
  transaction: AdoptTransaction,
  { first, entries }: { first: number; entries: readonly string[] },
): Promise<void> => {
  let log: Tree = { size: first, edge: Buffer.concat(await readEdge(logTiles, first)) };
  // Those since the start of the tile, which are needed when it becomes full.
  const tileStart = first - (first % TILE_WIDTH);
  let recent: (string | Uint8Array)[] = await logTiles.readEntries(tileStart, first);
  for (const entry of entries) {
    recent.push(entry);
    const start = firstEntryFor(log, log.size + 1);
    const isFull = start < log.size;
    const needed = isFull ? recent : [entry];
    const { tiles, ...grown } = await growTree(log, { first: start, entries: needed }, noPause);
    await transaction.append({ n: log.size, entry, root: grown.root, tiles });
    log = grown;
    if (isFull) recent = [];
  }
  await transaction.saveState(log);
};

const noPause = async (): Promise<void> => {};

import { epochEntry } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { mapKeyOf } from '@witan/proof/tlog/map';
import { buildEpochMap } from './epoch-map.ts';
import type { TreeHead } from './epoch-map.ts';
import { ChangedEntriesError, firstEntryFor, growTree, parseEntriesInSlices } from './grow-tree.ts';
import type { GrownTree, TileGrowth, Tree } from './grow-tree.ts';

/** Origin and secret of the log, which never change. */
export type LogIdentity = { origin: string; secret: Uint8Array };

/** A workspace that has more certificates than its tree, which is absent before the first epoch. */
export type Behind = {
  workspaceId: string;
  certificates: number;
  tree: (Tree & Pick<TreeHead, 'mapKey' | 'secret'>) | undefined;
};

export type EntryRange = { workspaceId: string; first: number; last: number };

export type NewHead = TreeHead & { edge: Uint8Array; tiles: TileGrowth[]; path: Uint8Array };

export type NewEpoch = {
  n: number;
  entry: string;
  keys: readonly BundleKey[];
  heads: readonly NewHead[];
  log: GrownTree;
};

/** What one transaction reads and writes; all of it, or nothing. */
export type EpochTransaction = {
  /**
   * Returns the log, the times of its last epoch and of the transaction by the same clock, and at
   * most `limit` workspaces that are behind; undefined if it is halted.
   */
  load: (
    limit: number,
  ) => Promise<{ log: Tree; lastAt: Date | undefined; now: Date; behind: Behind[] } | undefined>;
  /** Returns the text of {@link parseEntriesInSlices} of certificates of a range, by workspace. */
  readEntries: (ranges: readonly EntryRange[]) => Promise<Map<string, string>>;
  /** Returns the entries of the log from `first` on, all tree heads, and all certificate keys. */
  loadRest: (first: number) => Promise<{
    entries: string[];
    heads: TreeHead[];
    keys: BundleKey[];
  }>;
  /** Throws if another replica has written this epoch. */
  save: (epoch: NewEpoch) => Promise<void>;
};

export type EpochStore = {
  /**
   * Runs `work` in a transaction. Resolves with undefined, and writes nothing, if another replica
   * holds the transaction's lock or has already written the epoch.
   */
  run: <T>(work: (transaction: EpochTransaction) => Promise<T>) => Promise<T | undefined>;
};

type Deps = {
  store: EpochStore;
  identity: LogIdentity;
  issuer: string;
  /** Returns 32 random bytes. */
  newSecret: () => Uint8Array;
  pause: () => Promise<void>;
  /** Called with a workspace whose stored certificates are not those of its tree. */
  onChangedEntries: (workspaceId: string) => void;
};

export type EpochOptions = {
  /** Maximum number of certificates of one epoch. */
  leavesMax: number;
  /**
   * If set, one epoch is written in each period of so many milliseconds, by whichever replica is
   * first in it, with or without new certificates.
   */
  coverMs: number | undefined;
};

export type WrittenEpoch = { n: number; leaves: number; workspaces: number };

/** Workspaces of one epoch; the others are in the next one. */
const WORKSPACES_MAX = 10_000;

/**
 * Writes the next epoch: grows the trees of workspaces that have new certificates, and appends the
 * map of all trees to the log. Resolves with undefined if there was nothing to write, or if another
 * replica writes. A kill at any time leaves the epoch written or not; nothing is signed here.
 */
export const writeEpoch = async (
  deps: Deps,
  { leavesMax, coverMs }: EpochOptions,
): Promise<WrittenEpoch | undefined> =>
  await deps.store.run(async (transaction) => {
    const loaded = await transaction.load(WORKSPACES_MAX);
    if (!loaded || (coverMs !== undefined && isCovered(loaded, coverMs))) return undefined;
    const planned = planRanges(loaded.behind, leavesMax);
    const grown = await growTrees(deps, transaction, planned);
    if (grown.length === 0 && coverMs === undefined) return undefined;
    const n = loaded.log.size;
    const first = firstEntryFor(loaded.log, n + 1);
    const rest = await transaction.loadRest(first);
    const map = await buildEpochMap(
      mergeHeads(rest.heads, grown),
      { ...deps.identity, epoch: n },
      { wanted: new Set(grown.map(({ workspaceId }) => workspaceId)), pause: deps.pause },
    );
    const entry = epochEntry(map.root, rest.keys);
    const log = await growTree(
      loaded.log,
      { first, entries: [...rest.entries, entry] },
      deps.pause,
    );
    const heads = grown.map((head) => ({ ...head, path: map.paths.get(head.workspaceId)! }));
    await transaction.save({ n, entry, keys: rest.keys, heads, log });
    const leaves = grown.reduce((sum, { added }) => sum + added, 0);
    return { n, leaves, workspaces: heads.length };
  });

/** Periods are those of the clock, so that more replicas do not write more epochs. */
const isCovered = ({ lastAt, now }: { lastAt: Date | undefined; now: Date }, periodMs: number) =>
  lastAt !== undefined &&
  Math.floor(lastAt.getTime() / periodMs) === Math.floor(now.getTime() / periodMs);

type Planned = Behind & { from: number; size: number; first: number };

/** Distributes the maximum over the workspaces, so that a large one does not delay the others. */
const planRanges = (behind: readonly Behind[], leavesMax: number): Planned[] => {
  let left = leavesMax;
  const ordered = behind.toSorted((a, b) => missingOf(a) - missingOf(b));
  return ordered.flatMap((one, i) => {
    const share = Math.ceil(left / (ordered.length - i));
    const count = Math.min(missingOf(one), share, left);
    left -= count;
    if (count === 0) return [];
    const from = one.tree?.size ?? 0;
    const size = from + count;
    return [{ ...one, from, size, first: firstEntryFor({ size: from }, size) }];
  });
};

const missingOf = ({ certificates, tree }: Behind): number => certificates - (tree?.size ?? 0);

type GrownHead = Omit<NewHead, 'path'> & { added: number };

const growTrees = async (
  deps: Deps,
  { readEntries }: EpochTransaction,
  planned: readonly Planned[],
): Promise<GrownHead[]> => {
  const ranges = planned.map(({ workspaceId, first, size }) => ({
    workspaceId,
    first,
    last: size,
  }));
  const texts = await readEntries(ranges);
  const grown: GrownHead[] = [];
  for (const { workspaceId, tree, from, first, size } of planned) {
    try {
      const text = texts.get(workspaceId) ?? '';
      const entries = await parseEntriesInSlices(text, size - first, deps.pause);
      const known = tree ?? {
        ...{ size: 0, edge: new Uint8Array(), secret: deps.newSecret() },
        mapKey: mapKeyOf(deps.issuer, workspaceId),
      };
      const { mapKey, secret } = known;
      const next = await growTree(known, { first, entries }, deps.pause);
      grown.push({ workspaceId, mapKey, secret, added: size - from, ...next });
    } catch (error) {
      if (!(error instanceof ChangedEntriesError)) throw error;
      deps.onChangedEntries(workspaceId);
    }
  }
  return grown;
};

const mergeHeads = (stored: readonly TreeHead[], grown: readonly TreeHead[]): TreeHead[] => {
  const replaced = new Set(grown.map(({ workspaceId }) => workspaceId));
  return [...stored.filter(({ workspaceId }) => !replaced.has(workspaceId)), ...grown];
};

import { unavailable } from '@witan/contracts';
import { epochEntry } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { BrokenBundleError } from './build-bundle.ts';
import { buildEpochMap } from './epoch-map.ts';
import type { TreeHead } from './epoch-map.ts';
import type { LogIdentity } from './write-epoch.ts';

/** `keys` is an empty list for a lost epoch. */
export type EpochRow = { n: number; entry: string; keys: string; isLost: boolean };

type Deps = {
  /** Returns the heads of all trees as they were in an epoch. */
  listHeadsAt: (epoch: number) => Promise<TreeHead[]>;
  identity: LogIdentity;
  pause: () => Promise<void>;
};

export type PathRebuilder = {
  /** Returns the path of a workspace in an epoch if it was rebuilt not long ago. */
  find: (workspaceId: string, epoch: number) => Uint8Array | undefined;
  /**
   * Builds the map of an epoch again, which hashes all workspaces, one at a time in this process.
   * Rejects with UNAVAILABLE if PENDING_MAX calls wait or OWN_MAX of the workspace have not ended,
   * with the reason of the signal, and with BrokenBundleError if that gives another map than the
   * one in the log.
   */
  rebuild: (workspaceId: string, epoch: EpochRow, signal: AbortSignal) => Promise<Uint8Array>;
};

export const PENDING_MAX = 20;
/** One workspace must not make the others wait for longer than a call may take. */
export const OWN_MAX = 4;
/** A path has about 0.5 KB. */
const PATHS_MAX = 2_000;

export const createPathRebuilder = ({ listHeadsAt, identity, pause }: Deps): PathRebuilder => {
  const known = new Map<string, Uint8Array>();
  const keyOf = (workspaceId: string, n: number): string => `${n} ${workspaceId}`;
  const find = (workspaceId: string, n: number): Uint8Array | undefined =>
    known.get(keyOf(workspaceId, n));
  const build = async (
    workspaceId: string,
    { n, entry, keys }: EpochRow,
    signal: AbortSignal,
  ): Promise<Uint8Array> => {
    signal.throwIfAborted();
    const map = await buildEpochMap(
      await listHeadsAt(n),
      { ...identity, epoch: n },
      {
        wanted: new Set([workspaceId]),
        pause: async () => {
          await pause();
          signal.throwIfAborted();
        },
      },
    );
    if (epochEntry(map.root, JSON.parse(keys) as BundleKey[]) !== entry) {
      throw new BrokenBundleError(`The map of epoch ${n} cannot be built again.`);
    }
    const path = map.paths.get(workspaceId)!;
    known.set(keyOf(workspaceId, n), path);
    if (known.size > PATHS_MAX) known.delete(known.keys().next().value!);
    return path;
  };
  const runAlone = createMutex();
  return {
    find,
    rebuild: (workspaceId, epoch, signal) =>
      runAlone(
        workspaceId,
        async () => find(workspaceId, epoch.n) ?? (await build(workspaceId, epoch, signal)),
      ),
  };
};

/** Returns a function that runs one call at a time, in order. */
const createMutex = () => {
  let last: Promise<void> = Promise.resolve();
  const callers: string[] = [];
  return async <T>(caller: string, work: () => Promise<T>): Promise<T> => {
    const own = callers.filter((one) => one === caller).length;
    if (callers.length > PENDING_MAX || own >= OWN_MAX) {
      throw unavailable('Too many epochs are read; retry later.');
    }
    callers.push(caller);
    const before = last;
    const { promise, resolve } = Promise.withResolvers<void>();
    last = promise;
    try {
      await before;
      return await work();
    } finally {
      callers.splice(callers.indexOf(caller), 1);
      resolve();
    }
  };
};

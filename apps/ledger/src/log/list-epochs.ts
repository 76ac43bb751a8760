import { headSalt } from '@witan/proof/tlog/map';
import { signHead } from './build-bundle.ts';
import type { CommittedHead } from './build-bundle.ts';
import type { TreeHead } from './epoch-map.ts';
import type { LogSigner } from './log-keys.ts';
import type { EpochRow, PathRebuilder } from './rebuild-path.ts';

export type EpochReader = {
  /**
   * Returns epochs from `from` on, up to and without `last`, in order. Of those that were adopted
   * from a mirror the heads were lost.
   */
  listEpochs: (from: number, last: number) => Promise<EpochRow[]>;
  /** Returns the newest head of a workspace's tree in an epoch or before it. */
  findHeadAt: (workspaceId: string, epoch: number) => Promise<CommittedHead | undefined>;
  /** Returns the heads of all trees as they were in an epoch. */
  listHeadsAt: (epoch: number) => Promise<TreeHead[]>;
};

type Deps = {
  reader: Pick<EpochReader, 'listEpochs' | 'findHeadAt'>;
  paths: PathRebuilder;
  origin: string;
  signer: LogSigner;
};

/**
 * An epoch as a workspace can open it; without `head` if the workspace was not in its map, or if
 * the heads of the epoch were lost.
 */
export type OpenedEpoch = EpochRow & {
  head?: { note: string; salt: Uint8Array; path: Uint8Array };
};

/**
 * Epochs from `from` on, up to and without `last`, for a request that may be aborted. `clock` is in
 * milliseconds and never goes back.
 */
export type EpochRange = { from: number; last: number; signal: AbortSignal; clock: () => number };

/** Epochs whose map is built again for one request. */
export const REBUILT_MAX = 5;
/** Time after which a request builds no further map; its caller waits for at most 10 s. */
export const REBUILDING_MAX_MS = 2_000;

/**
 * Returns epochs with the head of a workspace in each. The path of a head is stored for epochs in
 * which it changed; for others the map is built again, at most REBUILT_MAX times and, after the
 * first, only within REBUILDING_MAX_MS: then the list ends early, but never without an epoch.
 * Throws BrokenBundleError if that gives another map than the one in the log.
 */
export const listEpochs = async (
  { reader, paths, origin, signer }: Deps,
  workspaceId: string,
  { from, last, signal, clock }: EpochRange,
): Promise<OpenedEpoch[]> => {
  const opened: OpenedEpoch[] = [];
  let rebuilt = 0;
  let rebuildingMs = 0;
  for (const epoch of await reader.listEpochs(from, last)) {
    signal.throwIfAborted();
    const { n } = epoch;
    const head = epoch.isLost ? undefined : await reader.findHeadAt(workspaceId, n);
    if (!head) {
      opened.push(epoch);
      continue;
    }
    let path = head.epoch === n ? head.path : paths.find(workspaceId, n);
    if (!path) {
      if (rebuilt === REBUILT_MAX || rebuildingMs >= REBUILDING_MAX_MS) break;
      const startedAt = clock();
      path = await paths.rebuild(workspaceId, epoch, signal);
      rebuildingMs += clock() - startedAt;
      rebuilt += 1;
    }
    const note = await signHead(signer, origin, head);
    opened.push({ ...epoch, head: { note, salt: headSalt(head.secret, n), path } });
  }
  return opened;
};

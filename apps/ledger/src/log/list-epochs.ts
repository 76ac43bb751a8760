import { epochEntry } from '@witan/proof/tlog/bundle';
import type { BundleKey } from '@witan/proof/tlog/bundle';
import { headSalt } from '@witan/proof/tlog/map';
import { BrokenBundleError, signHead } from './build-bundle.ts';
import type { CommittedHead } from './build-bundle.ts';
import { buildEpochMap } from './epoch-map.ts';
import type { TreeHead } from './epoch-map.ts';
import type { LogSigner } from './log-keys.ts';
import type { LogIdentity } from './write-epoch.ts';

export type EpochRow = { n: number; entry: string; keys: string };

export type EpochReader = {
  /** Returns epochs from `from` on, up to and without `last`, in order. */
  listEpochs: (from: number, last: number) => Promise<EpochRow[]>;
  /** Returns the newest head of a workspace's tree in an epoch or before it. */
  findHeadAt: (workspaceId: string, epoch: number) => Promise<CommittedHead | undefined>;
  /** Returns the heads of all trees as they were in an epoch. */
  listHeadsAt: (epoch: number) => Promise<TreeHead[]>;
};

type Deps = {
  reader: EpochReader;
  identity: LogIdentity;
  signer: LogSigner;
  pause: () => Promise<void>;
};

/** An epoch as a workspace can open it; without `head` if the workspace was not in its map. */
export type OpenedEpoch = EpochRow & {
  head?: { note: string; salt: Uint8Array; path: Uint8Array };
};

/**
 * Returns epochs with the head of a workspace in each. The path of a head is stored for epochs in
 * which it changed; for others the map is built again. Throws BrokenBundleError if that gives
 * another map than the one in the log.
 */
export const listEpochs = async (
  deps: Deps,
  workspaceId: string,
  { from, last }: { from: number; last: number },
): Promise<OpenedEpoch[]> => {
  const opened: OpenedEpoch[] = [];
  for (const epoch of await deps.reader.listEpochs(from, last)) {
    const head = await deps.reader.findHeadAt(workspaceId, epoch.n);
    opened.push(head ? { ...epoch, head: await openHead(deps, epoch, head) } : epoch);
  }
  return opened;
};

const openHead = async (
  { reader, identity, signer, pause }: Deps,
  { n, entry, keys }: EpochRow,
  head: CommittedHead,
): Promise<NonNullable<OpenedEpoch['head']>> => {
  const note = await signHead(signer, identity.origin, head);
  const salt = headSalt(head.secret, n);
  if (head.epoch === n) return { note, salt, path: head.path };
  const { workspaceId } = head;
  const map = await buildEpochMap(
    await reader.listHeadsAt(n),
    { ...identity, epoch: n },
    { wanted: new Set([workspaceId]), pause },
  );
  if (epochEntry(map.root, JSON.parse(keys) as BundleKey[]) !== entry) {
    throw new BrokenBundleError(`The map of epoch ${n} cannot be built again.`);
  }
  return { note, salt, path: map.paths.get(workspaceId)! };
};

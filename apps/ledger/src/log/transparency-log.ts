import { buildBundle, signHead } from './build-bundle.ts';
import type { BundleReader, CommittedHead } from './build-bundle.ts';
import { listEpochs } from './list-epochs.ts';
import type { EpochReader } from './list-epochs.ts';
import type { LogSigner } from './log-keys.ts';
import type { LogPolicy } from './log-policy.ts';
import { publish } from './publish.ts';
import type { Published, PublicationStore } from './publish.ts';
import type { TileSource } from './read-tile.ts';
import { runCycle } from './run-cycle.ts';
import { nextSubmission, takeAnswers } from './witnesses.ts';
import type { Taken, WitnessAnswer, WitnessStore } from './witnesses.ts';
import { writeEpoch } from './write-epoch.ts';
import type { EpochStore, LogIdentity, WrittenEpoch } from './write-epoch.ts';

export type LogStores = {
  epochs: EpochStore;
  publications: PublicationStore;
  witnesses: WitnessStore;
  bundles: BundleReader;
  history: EpochReader;
  tiles: TileSource;
  findPublished: () => Promise<Published | undefined>;
};

export type LogContext = {
  identity: LogIdentity;
  issuer: string;
  signer: LogSigner;
  policy: LogPolicy;
  intervalMs: number;
  isCover: boolean;
  newSecret: () => Uint8Array;
  /** Lets other work of the process run. */
  pause: () => Promise<void>;
  /** Milliseconds since 1970. */
  now: () => number;
};

export type CycleEvents = {
  isBusy: () => boolean;
  stopping: AbortSignal;
  clock: () => number;
  onWritten: (epoch: WrittenEpoch, seconds: number) => void;
  onPublished: (size: number) => void;
  onChangedEntries: (workspaceId: string) => void;
};

/** Returns the functions of the transparency log: one that runs it, and those that read it. */
export const createTransparencyLog = (stores: LogStores, context: LogContext) => {
  const { identity, signer, policy, isCover, pause } = context;
  const { origin } = identity;
  const { epochs: store, tiles, bundles: reader, history, findPublished } = stores;
  const publication = { tiles, signer, origin, policyId: policy.id, store: stores.publications };
  const witnessing = { ...publication, policy, witnesses: stores.witnesses, now: context.now };
  const isWitnessed = policy.policy.quorum.kind !== 'none';
  const bundling = { reader, logTiles: tiles, signer, origin, policy };
  return {
    origin,
    vkeys: signer.vkeys,
    intervalMs: context.intervalMs,
    policy,
    tiles,
    findPublished,
    runCycle: (events: CycleEvents): Promise<void> => {
      const writing = { ...context, store, onChangedEntries: events.onChangedEntries };
      let isFirst = true;
      return runCycle({
        ...events,
        writeEpoch: (leavesMax) => {
          const options = { leavesMax, isCover: isCover && isFirst };
          isFirst = false;
          return writeEpoch(writing, options);
        },
        // With witnesses, their answers publish a checkpoint.
        publish: async () => (isWitnessed ? undefined : await publish(publication)),
      });
    },
    nextSubmission: () => nextSubmission(witnessing),
    takeAnswers: (size: number, answers: readonly WitnessAnswer[]): Promise<Taken> =>
      takeAnswers(witnessing, size, answers),
    buildBundle: (workspaceId: string, proofId: string) =>
      buildBundle(bundling, workspaceId, proofId),
    findHeadAt: history.findHeadAt,
    signHead: (head: CommittedHead) => signHead(signer, origin, head),
    treeTiles: reader.treeTiles,
    listEpochs: (workspaceId: string, range: { from: number; last: number }) =>
      listEpochs({ reader: history, identity, signer, pause }, workspaceId, range),
  };
};

export type TransparencyLog = ReturnType<typeof createTransparencyLog>;

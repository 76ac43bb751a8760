import type { NoteKey } from '@witan/proof/tlog/note';
import { createAnchoredSigner, verifyAnchor } from './anchor.ts';
import type { Anchor, HaltStore } from './anchor.ts';
import { auditTrees } from './audit-trees.ts';
import type { TreeSample } from './audit-trees.ts';
import { buildBundle, signHead } from './build-bundle.ts';
import type { BundleReader, CommittedHead } from './build-bundle.ts';
import { listEpochs } from './list-epochs.ts';
import type { EpochRange, EpochReader } from './list-epochs.ts';
import type { LogSigner } from './log-keys.ts';
import type { LogPolicy } from './log-policy.ts';
import { publish } from './publish.ts';
import type { Published, PublicationStore } from './publish.ts';
import type { TileSource } from './read-tile.ts';
import { createPublishedCache } from './public-tiles.ts';
import { createPathRebuilder } from './rebuild-path.ts';
import { runCycle } from './run-cycle.ts';
import { nextSubmission, takeAnswers } from './witnesses.ts';
import type { Taken, WitnessAnswer, WitnessStore } from './witnesses.ts';
import { writeEpoch } from './write-epoch.ts';
import type { EpochStore, LogIdentity, WrittenEpoch } from './write-epoch.ts';

export type LogStores = {
  epochs: EpochStore;
  publications: PublicationStore;
  witnesses: WitnessStore;
  halts: HaltStore;
  bundles: BundleReader;
  findTrees: TreeSample['findTrees'];
  history: EpochReader;
  tiles: TileSource;
  /** The same tiles, for callers without credentials, who must not delay the others. */
  publicTiles: TileSource;
  /** The same tiles, for publishing, which must not wait for callers. */
  ownTiles: TileSource;
  findPublished: () => Promise<Published | undefined>;
  /** Runs one work of all replicas at a time. */
  exclusively: <T>(work: () => Promise<T>) => Promise<T>;
};

export type LogContext = {
  identity: LogIdentity;
  issuer: string;
  signer: LogSigner;
  policy: LogPolicy;
  intervalMs: number;
  isCover: boolean;
  /** All keys that the log ever had. */
  keys: readonly NoteKey[];
  /** The last signed checkpoint outside of the database, if that is stored. */
  anchor: Anchor | undefined;
  newSecret: () => Uint8Array;
  random: () => number;
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
  const publication = {
    ...{ origin, policyId: policy.id },
    signer: createAnchoredSigner(signer, context.anchor, stores.exclusively),
    tiles: stores.ownTiles,
    store: stores.publications,
  };
  const witnessing = { ...publication, policy, witnesses: stores.witnesses, now: context.now };
  const { listHeadsAt } = history;
  const paths = createPathRebuilder({ listHeadsAt, identity, pause });
  const isWitnessed = policy.policy.quorum.kind !== 'none';
  const bundling = { reader, logTiles: tiles, signer, origin, policy };
  /**
   * Rejects while the database does not have the log that was signed; see verifyAnchor. It is
   * called before each signature of a checkpoint, because a database can be restored at any time.
   */
  const check = (): Promise<void> =>
    verifyAnchor({ anchor: context.anchor, store: stores.halts, keys: context.keys, origin });
  return {
    origin,
    vkeys: signer.vkeys,
    intervalMs: context.intervalMs,
    policy,
    /** Of the public. */
    tiles: stores.publicTiles,
    published: createPublishedCache(findPublished, context.now),
    findPublished,
    check,
    runCycle: async (events: CycleEvents): Promise<void> => {
      await check();
      const writing = { ...context, store, onChangedEntries: events.onChangedEntries };
      let isFirst = true;
      await runCycle({
        ...events,
        writeEpoch: (leavesMax) => {
          const coverMs = isCover && isFirst ? context.intervalMs : undefined;
          isFirst = false;
          const options = { leavesMax, coverMs };
          return writeEpoch(writing, options);
        },
        // With witnesses, their answers publish a checkpoint.
        publish: async () => {
          if (isWitnessed) return undefined;
          await check();
          return await publish(publication);
        },
      });
    },
    nextSubmission: async () => {
      await check();
      return await nextSubmission(witnessing);
    },
    takeAnswers: async (size: number, answers: readonly WitnessAnswer[]): Promise<Taken> => {
      await check();
      return await takeAnswers(witnessing, size, answers);
    },
    buildBundle: (workspaceId: string, proofId: string) =>
      buildBundle(bundling, workspaceId, proofId),
    /** Returns the workspaces of a random sample whose certificates were changed. */
    audit: () => auditTrees({ ...stores, ...context, treeTiles: reader.treeTiles }),
    findHeadAt: history.findHeadAt,
    signHead: (head: CommittedHead) => signHead(signer, origin, head),
    treeTiles: reader.treeTiles,
    listEpochs: (workspaceId: string, range: EpochRange) =>
      listEpochs({ reader: history, paths, origin, signer }, workspaceId, range),
  };
};

export type TransparencyLog = ReturnType<typeof createTransparencyLog>;

import type { MessageInitShape } from '@bufbuild/protobuf';
import { invalidRequest, notFound } from '@witan/contracts';
import type { EpochSchema } from '@witan/contracts';
import type { CertificateService } from '@witan/contracts/services';
import { parseTilePath } from '@witan/proof/tlog/tile';
import type { Call, Handlers } from '@witan/service-kit';
import type { BundleState, CommittedHead } from '../build-bundle.ts';
import type { EpochRange, OpenedEpoch } from '../list-epochs.ts';
import type { Published } from '../publish.ts';
import { readTile } from '../read-tile.ts';
import type { TileSource } from '../read-tile.ts';
import { NO_LOG, NO_TILE } from './log.ts';

/** What a workspace may read of the log. */
export type WorkspaceLog = {
  buildBundle: (workspaceId: string, proofId: string) => Promise<BundleState>;
  findPublished: () => Promise<Published | undefined>;
  /** Returns the newest head of a workspace's tree in an epoch or before it. */
  findHeadAt: (workspaceId: string, epoch: number) => Promise<CommittedHead | undefined>;
  signHead: (head: CommittedHead) => Promise<string>;
  treeTiles: (workspaceId: string) => TileSource;
  /** Returns the first epochs of a range, one at least; the next call goes on after them. */
  listEpochs: (workspaceId: string, range: EpochRange) => Promise<OpenedEpoch[]>;
};

type Methods = 'getBundle' | 'getTreeCheckpoint' | 'readTreeTile' | 'listEpochs';

const WAIT_MAX_MS = 20_000;
/** How often a bundle that does not exist yet is looked for. */
const POLL_MS = 500;
const EPOCHS_MAX = 100;

type Timing = {
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds; never goes back. */
  clock: () => number;
};

export const createBundleHandlers = (
  log: WorkspaceLog | undefined,
  { sleep, clock }: Timing,
): Pick<Handlers<typeof CertificateService>, Methods> => ({
  getBundle: async ({ proofId, waitMs }, call) => ({
    bundle: await waitForBundle(requireLog(log), { proofId, waitMs, sleep }, call),
  }),
  getTreeCheckpoint: async (_request, { workspaceId }) => {
    const present = requireLog(log);
    const head = await findPublishedHead(present, workspaceId);
    if (!head) throw notFound('This workspace has no certificate in the log yet.');
    return { note: await present.signHead(head) };
  },
  readTreeTile: async ({ path }, { workspaceId }) => {
    const present = requireLog(log);
    const tile = parseTilePath(path);
    const head = tile && (await findPublishedHead(present, workspaceId));
    const bytes = head && (await readTile(present.treeTiles(workspaceId), tile, head.size));
    if (!bytes) throw notFound(NO_TILE);
    return { tile: bytes };
  },
  listEpochs: async ({ from, limit }, { workspaceId, signal }) => {
    const present = requireLog(log);
    if (limit < 1 || limit > EPOCHS_MAX) throw invalidRequest(`limit is 1 to ${EPOCHS_MAX}.`);
    const size = (await present.findPublished())?.size ?? 0;
    const first = Math.min(Number(from), size);
    const range = { from: first, last: Math.min(first + limit, size), signal, clock };
    const epochs = await present.listEpochs(workspaceId, range);
    return { epochs: epochs.map(toEpoch) };
  },
});

const requireLog = (log: WorkspaceLog | undefined): WorkspaceLog => {
  if (log) return log;
  throw notFound(NO_LOG);
};

type Wait = Pick<Timing, 'sleep'> & { proofId: string; waitMs: number };

/** Resolves with the bundle, or with an empty text if there is none within the time. */
const waitForBundle = async (
  log: WorkspaceLog,
  { proofId, waitMs, sleep }: Wait,
  { workspaceId, signal }: Call,
): Promise<string> => {
  if (waitMs > WAIT_MAX_MS) throw invalidRequest(`wait_ms is at most ${WAIT_MAX_MS}.`);
  for (let leftMs = waitMs; ; leftMs -= POLL_MS) {
    const found = await log.buildBundle(workspaceId, proofId);
    if (found.state === 'ready') return found.bundle;
    if (found.state === 'unknown') {
      throw notFound('No certificate with this id in this workspace.');
    }
    if (leftMs <= 0) return '';
    await sleep(Math.min(POLL_MS, leftMs), signal);
  }
};

const findPublishedHead = async (
  { findPublished, findHeadAt }: WorkspaceLog,
  workspaceId: string,
): Promise<CommittedHead | undefined> => {
  const published = await findPublished();
  return published && (await findHeadAt(workspaceId, published.size - 1));
};

const toEpoch = ({ n, entry, keys, head }: OpenedEpoch): MessageInitShape<typeof EpochSchema> => ({
  n: BigInt(n),
  entry,
  keys,
  ...(head ? { treeHead: head.note, salt: head.salt, path: head.path } : {}),
});

import { isServiceError } from '@witan/contracts';
import { staysLocal } from '../../agent/agent.ts';
import type { EmbedTexts } from './embedding.ts';
import type { EmbeddingQueue, LeasedEmbedding } from './embedding-queue.ts';

export type EmbedDocumentDeps = {
  queue: EmbeddingQueue;
  embed: EmbedTexts;
  /** True if the embedding model runs on this machine, so that it may have local-only documents. */
  isLocal: boolean;
  batchSize: BatchSize;
};

/** Maximum of chunks per call; 64 of 400 tokens are below the limits of all known providers. */
const BATCH = 64;
const CALL_TIMEOUT_MS = 30_000;
/** A call that takes a shorter share of its time allows the next one to be twice as large. */
const QUICK_SHARE = 0.25;

/** Number of chunks in the next call. */
export type BatchSize = {
  current: () => number;
  onEmbedded: (durationMs: number) => void;
  /** Halves the number, so that a slow runtime does not repeat the call that timed out. */
  onTimeout: () => void;
};

export const createBatchSize = (): BatchSize => {
  let size = BATCH;
  return {
    current: () => size,
    onEmbedded: (durationMs) => {
      if (durationMs < CALL_TIMEOUT_MS * QUICK_SHARE) size = Math.min(BATCH, size * 2);
    },
    onTimeout: () => {
      size = Math.max(1, Math.floor(size / 2));
    },
  };
};
/** Maximum delay before a failed or excluded document is leased again. */
export const RETRY_MAX_MS = 15 * 60_000;

/**
 * Maximum number of leases in a row that may have been charged and saved nothing, such as calls
 * that time out. With the delays between them they take at least half an hour.
 */
export const PAID_ATTEMPTS_MAX = 10;

/** Lease of a document. Each batch renews it, and takes little longer than one call. */
export const LEASE_MS = 2 * CALL_TIMEOUT_MS;

/**
 * Embeds the chunks of a leased document that have no vector of the current model, batch by batch.
 * After a crash, the next lease continues behind the last saved batch, so at most one batch is paid
 * for twice. Resolves with `excluded` if a local-only agent may read the document, which is checked
 * before every call to a hosted model; vectors of earlier calls remain. A chunk without a usable
 * vector is skipped. Resolves with `failed`, without a call, after too many charged attempts.
 */
export const embedDocument = async (
  leased: LeasedEmbedding,
  { queue, embed, isLocal, batchSize }: EmbedDocumentDeps,
  signal: AbortSignal,
): Promise<'embedded' | 'excluded' | 'failed' | 'lost'> => {
  if (leased.paidAttempts > PAID_ATTEMPTS_MAX) {
    await queue.finish(leased, { hasFailed: true });
    return 'failed';
  }
  for (let after = ''; ;) {
    const { chunks, agentModels } = await queue.nextChunks(leased, {
      after,
      limit: batchSize.current(),
    });
    if (chunks.length === 0) break;
    if (!isLocal && agentModels.some((model) => staysLocal({ model }))) {
      await queue.release(leased, { delayMs: RETRY_MAX_MS, isUnpaid: true, ofSource: true });
      return 'excluded';
    }
    const texts = chunks.map(({ text }) => text);
    const options = { timeoutMs: CALL_TIMEOUT_MS, signal };
    const startedAt = performance.now();
    const { origin, vectors } = await embed(leased.workspaceId, texts, options).catch(
      (error: unknown) => {
        if (isTimeout(error)) batchSize.onTimeout();
        throw error;
      },
    );
    batchSize.onEmbedded(performance.now() - startedAt);
    const embedded = chunks.flatMap(({ id }, index) => {
      const vector = vectors[index];
      return vector ? [{ id, vector }] : [];
    });
    const isSaved = await queue.save(leased, { origin, chunks: embedded, leaseMs: LEASE_MS });
    if (!isSaved) return 'lost';
    after = chunks.at(-1)!.id;
  }
  await queue.finish(leased, { hasFailed: false });
  return 'embedded';
};

const TIMEOUTS: ReadonlySet<string> = new Set(['DEADLINE_EXCEEDED', 'PROVIDER_TIMEOUT']);

const isTimeout = (error: unknown): boolean => isServiceError(error) && TIMEOUTS.has(error.reason);

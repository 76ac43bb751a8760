import { isServiceError } from '@witan/contracts';
import type { DocumentQueue, LeasedDocument } from './document.ts';
import type { ReadDocument } from './chunks/split-chunks.ts';
import { indexDocument } from './index-document.ts';

export type DocumentWorker = {
  wake: () => void;
  /**
   * Stops the worker and returns the current document to the queue, so that another replica can
   * read it.
   */
  stop: () => Promise<void>;
};

export type DocumentWorkerDeps = {
  queue: DocumentQueue;
  readDocument: ReadDocument;
  /** Purges some rows of deleted sources; resolves with false when none are left. */
  purge: () => Promise<boolean>;
  newId: (prefix: string) => string;
  leaseMs?: number;
  pollIntervalMs?: number;
  onFailure: (error: unknown, leased?: LeasedDocument) => void;
};

const LEASE_MS = 30_000;
const POLL_INTERVAL_MS = 5_000;
const RETRY_MS = 2_000;
/**
 * Maximum number of attempts to read a document, so that one that crashes the process is not
 * retried forever.
 */
const ATTEMPTS_MAX = 3;
const ATTEMPTS_EXHAUSTED = 'The document could not be read; split it or send it in another format.';

/**
 * Starts a worker that reads and indexes queued documents. Several workers may share one database,
 * because each leases the document that it reads.
 */
export const openDocumentWorker = (deps: DocumentWorkerDeps): DocumentWorker => {
  const { queue, purge, onFailure } = deps;
  const { leaseMs = LEASE_MS, pollIntervalMs = POLL_INTERVAL_MS } = deps;
  const stopping = new AbortController();
  let hasWork = false;
  let workEnded: Promise<void> | undefined;
  const processQueue = async (): Promise<void> => {
    while (hasWork && !stopping.signal.aborted) {
      hasWork = false;
      try {
        const leased = await queue.claim(leaseMs);
        if (leased) await readLeased(leased, { ...deps, leaseMs, signal: stopping.signal });
        if (stopping.signal.aborted) return;
        // Rows of deleted sources are purged after every document, so that a long queue does not
        // delay the purge.
        hasWork ||= leased !== undefined;
        if (await purge()) hasWork = true;
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const wake = (): void => {
    hasWork = true;
    if (stopping.signal.aborted) return;
    workEnded ??= processQueue().finally(() => {
      workEnded = undefined;
      // `wake` may have been called after the loop last checked `hasWork`.
      if (hasWork) wake();
    });
  };
  const timer = setInterval(wake, pollIntervalMs).unref();
  wake();
  return {
    wake,
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The worker was stopped.'));
      await workEnded;
    },
  };
};

type ReadDeps = DocumentWorkerDeps & { leaseMs: number; signal: AbortSignal };

const readLeased = async (leased: LeasedDocument, deps: ReadDeps): Promise<void> => {
  const { queue, readDocument, newId, leaseMs, onFailure } = deps;
  const leaseLost = new AbortController();
  const signal = AbortSignal.any([deps.signal, leaseLost.signal]);
  const renewing = setInterval(() => {
    const renewed = queue.renew(leased, leaseMs);
    renewed.then(
      (isLeased) => isLeased || leaseLost.abort(new Error('The lease was lost.')),
      onFailure,
    );
  }, leaseMs / 3);
  try {
    if (leased.attempts > ATTEMPTS_MAX) return await queue.fail(leased, ATTEMPTS_EXHAUSTED);
    const { mediaType, fileName, workspaceId: owner } = leased;
    const document = await readDocument(leased.content, { mediaType, fileName, owner }, signal);
    const index = indexDocument(document, { givenTitle: leased.givenTitle, newId });
    await queue.finish(leased, index, signal);
  } catch (error) {
    if (leaseLost.signal.aborted) return;
    if (isRefusal(error)) return await queue.fail(leased, error.message);
    await queue.release(leased, deps.signal.aborted ? 0 : RETRY_MS);
    if (!deps.signal.aborted) onFailure(error, leased);
  } finally {
    clearInterval(renewing);
  }
};

const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TOO_LARGE',
]);

const isRefusal = (error: unknown): error is Error =>
  isServiceError(error) && REFUSALS.has(error.reason);

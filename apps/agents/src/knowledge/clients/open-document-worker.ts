import { isServiceError } from '@witan/contracts';
import { createWakeSignal, repeatEvery } from '@witan/service-kit';
import type { DocumentQueue, LeasedDocument } from '../document.ts';
import type { ReadDocument } from '../documents/document-text.ts';
import { indexDocument } from '../index-document.ts';

type DocumentWorker = {
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
  /** Purges some rows of deleted sources; resolves with false if none were left. */
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
 * Number of attempts after which a document is marked as failed, so that one that ends this process
 * is not retried forever. Attempts that end with a release are not counted.
 */
const ATTEMPTS_MAX = 3;
const ATTEMPTS_EXHAUSTED = 'The document could not be read; split it or send it in another format.';

/**
 * Starts a worker that reads and indexes queued documents, one at a time. Several workers may share
 * one database, because each leases the document that it reads.
 */
export const openDocumentWorker = (deps: DocumentWorkerDeps): DocumentWorker => {
  const { queue, purge, onFailure } = deps;
  const { leaseMs = LEASE_MS, pollIntervalMs = POLL_INTERVAL_MS } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeSignal = createWakeSignal();
  const readNext = async (): Promise<boolean> => {
    const leased = await queue.claim(leaseMs);
    if (leased) await readLeased(leased, { ...deps, leaseMs, signal });
    return leased !== undefined;
  };
  /** Returns true if the step may be repeated at once, because it found work. */
  const runStep = async (step: () => Promise<boolean>): Promise<boolean> => {
    if (signal.aborted) return false;
    try {
      return await step();
    } catch (error) {
      onFailure(error);
      return false;
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const hasRead = await runStep(readNext);
      // Rows of deleted sources are purged after every document, so that a long queue does not
      // delay the purge.
      const hasPurged = await runStep(purge);
      if (!hasRead && !hasPurged) await wakeSignal.wait(pollIntervalMs);
    }
  };
  const ended = run();
  return {
    wake: wakeSignal.notify,
    stop: async () => {
      stopping.abort(new Error('The worker was stopped.'));
      wakeSignal.notify();
      await ended;
    },
  };
};

type ReadDeps = DocumentWorkerDeps & { leaseMs: number; signal: AbortSignal };

const readLeased = async (leased: LeasedDocument, deps: ReadDeps): Promise<void> => {
  const { queue, readDocument, newId, leaseMs, onFailure } = deps;
  const leaseLost = new AbortController();
  const signal = AbortSignal.any([deps.signal, leaseLost.signal]);
  const renew = async (): Promise<void> => {
    if (await queue.renew(leased, leaseMs)) return;
    leaseLost.abort(new Error('The lease was lost.'));
  };
  const renewal = repeatEvery(leaseMs / 3, renew, onFailure);
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
    // Not awaited, because a renewal that hangs would delay the next document.
    void renewal.stop();
  }
};

const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TOO_LARGE',
]);

const isRefusal = (error: unknown): error is Error =>
  isServiceError(error) && REFUSALS.has(error.reason);

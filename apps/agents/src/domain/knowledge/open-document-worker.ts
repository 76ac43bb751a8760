import { isServiceError } from '@witan/contracts';
import type { DocumentQueue, WaitingDocument } from './document.ts';
import type { ReadDocument } from './documents/document-text.ts';
import { indexDocument } from './index-document.ts';

export type DocumentWorker = {
  wake: () => void;
  /** Returns the current document to the queue, for another replica. */
  stop: () => Promise<void>;
};

export type DocumentWorkerDeps = {
  queue: DocumentQueue;
  readDocument: ReadDocument;
  /** Purges some rows of deleted sources; resolves to false when none are left. */
  purge: () => Promise<boolean>;
  newId: (prefix: string) => string;
  leaseMs?: number;
  pollIntervalMs?: number;
  onFailure: (error: unknown, waiting?: WaitingDocument) => void;
};

const LEASE_MS = 30_000;
const POLL_INTERVAL_MS = 5_000;
const RETRY_MS = 2_000;
/** Limit of attempts for a document whose reading crashes the process. */
const ATTEMPTS_MAX = 3;
const GIVEN_UP = 'The document could not be read; split it or send it in another format.';

/** Several workers may share one database: each leases its document. */
export const openDocumentWorker = (deps: DocumentWorkerDeps): DocumentWorker => {
  const { queue, purge, onFailure } = deps;
  const { leaseMs = LEASE_MS, pollIntervalMs = POLL_INTERVAL_MS } = deps;
  const stopping = new AbortController();
  let isWanted = false;
  let working: Promise<void> | undefined;
  const work = async (): Promise<void> => {
    while (isWanted && !stopping.signal.aborted) {
      isWanted = false;
      try {
        const waiting = await queue.claim(leaseMs);
        if (waiting) await readWaiting(waiting, { ...deps, leaseMs, signal: stopping.signal });
        if (stopping.signal.aborted) return;
        // Purges after every document, so that a long queue does not delay it.
        isWanted ||= waiting !== undefined;
        if (await purge()) isWanted = true;
      } catch (error) {
        onFailure(error);
      }
    }
  };
  const wake = (): void => {
    isWanted = true;
    if (stopping.signal.aborted) return;
    working ??= work().finally(() => {
      working = undefined;
      // `wake` may have been called since the last check.
      if (isWanted) wake();
    });
  };
  const timer = setInterval(wake, pollIntervalMs).unref();
  wake();
  return {
    wake,
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('The worker stops.'));
      await working;
    },
  };
};

type Reading = DocumentWorkerDeps & { leaseMs: number; signal: AbortSignal };

const readWaiting = async (waiting: WaitingDocument, deps: Reading): Promise<void> => {
  const { queue, readDocument, newId, leaseMs, onFailure } = deps;
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const renewing = setInterval(() => {
    const renewed = queue.renew(waiting, leaseMs);
    renewed.then((isOurs) => isOurs || lost.abort(new Error('The lease is lost.')), onFailure);
  }, leaseMs / 3);
  try {
    if (waiting.attempts > ATTEMPTS_MAX) return await queue.fail(waiting, GIVEN_UP);
    const { mediaType, fileName, workspaceId: owner } = waiting;
    const document = await readDocument(waiting.content, { mediaType, fileName, owner }, signal);
    const index = indexDocument(document, { givenTitle: waiting.givenTitle, newId });
    await queue.finish(waiting, index, signal);
  } catch (error) {
    if (lost.signal.aborted) return;
    if (isRefusal(error)) return await queue.fail(waiting, error.message);
    await queue.giveBack(waiting, deps.signal.aborted ? 0 : RETRY_MS);
    if (!deps.signal.aborted) onFailure(error, waiting);
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

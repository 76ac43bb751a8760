import { isServiceError } from '@witan/contracts';
import type { DocumentQueue, WaitingDocument } from './document.ts';
import type { ReadDocument } from './documents/document-text.ts';
import { indexDocument } from './index-document.ts';

/** Reads the documents that wait, one at a time. */
export type DocumentWorker = {
  /** Something may wait. */
  wake: () => void;
  /** Gives back what it reads, so that another replica takes it, and begins nothing more. */
  stop: () => Promise<void>;
};

export type DocumentWorkerDeps = {
  queue: DocumentQueue;
  readDocument: ReadDocument;
  /** Deletes some rows of what was deleted; false: there are none. */
  purge: () => Promise<boolean>;
  newId: (prefix: string) => string;
  /** How long a document stays with a process that does not say that it is alive. */
  leaseMs?: number;
  /** How often it looks what waits. */
  pollIntervalMs?: number;
  onFailure: (error: unknown, waiting?: WaitingDocument) => void;
};

const LEASE_MS = 30_000;
const POLL_INTERVAL_MS = 5_000;
/** After something that has nothing to do with the document. */
const RETRY_MS = 2_000;
/** A document that ends the process each time it is read is given up. */
const ATTEMPTS_MAX = 3;
const GIVEN_UP = 'The document could not be read; split it or send it in another format.';

/** Starts a worker. Several may run on one database, as replicas do. */
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
        // What was deleted goes, however many documents wait.
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
      // Somebody may have called between the last look and this moment.
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

/** Reads one document and keeps the lease meanwhile. */
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

/** What the document is to blame for. */
const REFUSALS: ReadonlySet<string> = new Set([
  'INVALID_REQUEST',
  'UNSUPPORTED_MEDIA_TYPE',
  'REQUEST_TOO_LARGE',
]);

const isRefusal = (error: unknown): error is Error =>
  isServiceError(error) && REFUSALS.has(error.reason);

import { isServiceError } from '@witan/contracts';
import { createWakeSignal } from '@witan/service-kit';
import { embedDocument, RETRY_MAX_MS, LEASE_MS } from '../similarity/embed-document.ts';
import type { EmbedDocumentDeps } from '../similarity/embed-document.ts';
import type { LeasedEmbedding } from '../similarity/embedding-queue.ts';
import { createResetStale } from '../similarity/reset-stale.ts';
import type { StaleDocuments } from '../similarity/reset-stale.ts';
import { EmbeddingRefusedError } from './embed-texts.ts';

type EmbeddingWorker = {
  /** Stops the worker; another replica can continue with its document at once. */
  stop: () => Promise<void>;
};

export type EmbeddingWorkerDeps = EmbedDocumentDeps & {
  stale: StaleDocuments;
  pollIntervalMs?: number | undefined;
  staleDelayMs?: number | undefined;
  /** Called when documents of another model were queued again. */
  onReset: (documents: number) => void;
  onEmbedded: () => void;
  /** Called when a document is not tried again, although chunks have no vector. */
  onGivenUp: (leased: LeasedEmbedding) => void;
  onFailure: (error: unknown, leased?: LeasedEmbedding) => void;
};

const POLL_INTERVAL_MS = 5_000;
const RETRY_MIN_MS = 5_000;
/**
 * Time for which a workspace is not served after a failure, because calls for its other documents
 * would probably fail for the same reason, such as missing tokens.
 */
const PAUSE_MS = 30_000;

/**
 * Starts a worker that embeds the chunks of documents, one document at a time, the workspaces
 * round-robin. Several workers may share one database, because each leases its document.
 */
export const openEmbeddingWorker = (deps: EmbeddingWorkerDeps): EmbeddingWorker => {
  const { queue, onEmbedded, onGivenUp, onFailure, pollIntervalMs = POLL_INTERVAL_MS } = deps;
  const now = (): number => performance.now();
  const resetStale = createResetStale({ ...deps, now, delayMs: deps.staleDelayMs });
  const stopping = new AbortController();
  const { signal } = stopping;
  const wakeSignal = createWakeSignal();
  const pausedUntil = new Map<string, number>();
  let servedWorkspace = '';
  const claim = (): Promise<LeasedEmbedding | undefined> => {
    for (const [id, until] of pausedUntil) if (until <= now()) pausedUntil.delete(id);
    return queue.claim({
      leaseMs: LEASE_MS,
      after: servedWorkspace,
      without: [...pausedUntil.keys()],
    });
  };
  const embedLeased = async (leased: LeasedEmbedding): Promise<void> => {
    try {
      const outcome = await embedDocument(leased, deps, signal);
      if (outcome === 'embedded') onEmbedded();
      if (outcome === 'failed') onGivenUp(leased);
    } catch (error) {
      const delayMs = signal.aborted ? 0 : toDelay(leased.attempts);
      if (!signal.aborted) {
        pausedUntil.set(leased.workspaceId, now() + Math.min(PAUSE_MS, delayMs));
        onFailure(error, leased);
      }
      await queue.release(leased, { delayMs, isUnpaid: isUnpaid(error) });
    }
  };
  /** Returns true if there may be more work. */
  const runOnce = async (): Promise<boolean> => {
    try {
      const leased = await claim();
      if (!leased) return await resetStale();
      servedWorkspace = leased.workspaceId;
      await embedLeased(leased);
      return true;
    } catch (error) {
      onFailure(error);
      return false;
    }
  };
  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      if (!(await runOnce())) await wakeSignal.wait(pollIntervalMs);
    }
  };
  const ended = run();
  return {
    stop: async () => {
      stopping.abort(new Error('The worker was stopped.'));
      wakeSignal.notify();
      await ended;
    },
  };
};

/** Returns 5 s after the first failure in a row, then twice the delay before, at most 15 min. */
const toDelay = (attempts: number): number =>
  Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** Math.min(attempts - 1, 20));

/** Errors of providers that are certified but not charged. */
const UNCHARGED: ReadonlySet<string> = new Set(['RATE_LIMITED', 'PROVIDER_CREDENTIALS_REFUSED']);

/** Errors of calls that this process ended, which may have been charged. */
const ENDED_HERE: ReadonlySet<string> = new Set(['DEADLINE_EXCEEDED', 'CANCELLED']);

/**
 * Returns true if the call was not charged, so that it is repeated until it succeeds: for a
 * provider's error response, and for a failure without a certificate, such as missing tokens or an
 * llm-gateway that is not reachable.
 */
const isUnpaid = (error: unknown): boolean => {
  if (error instanceof EmbeddingRefusedError) return true;
  if (!isServiceError(error) || ENDED_HERE.has(error.reason)) return false;
  return error.fields['proof'] === undefined || UNCHARGED.has(error.reason);
};

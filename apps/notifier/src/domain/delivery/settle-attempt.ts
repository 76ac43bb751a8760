import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';

/** Waits between the end of an attempt and the next, in milliseconds: three attempts (Seed 6). */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** What follows from an attempt: delivered, another one after its wait, or failed for good. */
export const settleAttempt = (
  { id, webhookId, lease, attempt }: DueDelivery,
  spent: AttemptResult,
  retryDelaysMs: readonly number[],
): Settlement => {
  const base = { id, webhookId, lease, spent };
  if (spent.error === null) return { ...base, state: 'delivered', delayMs: 0 };
  const delayMs = retryDelaysMs[attempt - 1];
  if (delayMs === undefined) return { ...base, state: 'failed', delayMs: 0 };
  return { ...base, state: 'pending', delayMs };
};

/** Gives the lease back: the same attempt is made again, by anybody, once the delay is over. */
export const giveBack = (
  { id, webhookId, lease }: DueDelivery,
  { delayMs }: { delayMs: number },
): Settlement => ({ id, webhookId, lease, state: 'pending', spent: undefined, delayMs });

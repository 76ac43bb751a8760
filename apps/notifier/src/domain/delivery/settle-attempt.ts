import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';

/** Delays from the end of an attempt to the next, in milliseconds: three attempts in all. */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000];

/** Returns what follows from an attempt: delivered, pending with a delay, or failed. */
export const settleAttempt = (
  { id, webhookId, lease, attempt }: DueDelivery,
  result: AttemptResult,
  retryDelaysMs: readonly number[],
): Settlement => {
  const base = { id, webhookId, lease, result };
  if (result.error === null) return { ...base, state: 'delivered', delayMs: 0 };
  const delayMs = retryDelaysMs[attempt - 1];
  if (delayMs === undefined) return { ...base, state: 'failed', delayMs: 0 };
  return { ...base, state: 'pending', delayMs };
};

/** Releases the lease: any replica may make the same attempt again after the delay. */
export const releaseLease = (
  { id, webhookId, lease }: DueDelivery,
  { delayMs }: { delayMs: number },
): Settlement => ({ id, webhookId, lease, state: 'pending', result: undefined, delayMs });

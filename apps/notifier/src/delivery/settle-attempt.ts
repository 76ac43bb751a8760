import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';

/**
 * Delays before the second and the third attempt, measured from the end of the previous attempt.
 */
export const RETRY_DELAYS_MS: readonly number[] = [1_000, 5_000];

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

/**
 * Returns a settlement that releases the lease without counting an attempt, so that any replica may
 * retry after `delayMs`.
 */
export const releaseLease = (
  { id, webhookId, lease }: DueDelivery,
  { delayMs }: { delayMs: number },
): Settlement => ({ id, webhookId, lease, state: 'pending', result: undefined, delayMs });

/** A webhook whose last attempt was slow gets only one attempt at a time. */
export const isSlow = ({ error }: AttemptResult): boolean => error === 'timeout';

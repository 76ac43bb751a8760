import type { RetrySchedule } from '@witan/contracts';
import type { AttemptResponse, DueDelivery } from './delivery.ts';

export type RetryPolicy = {
  /** Delays before the second and each later attempt, by schedule. */
  delaysMs: Readonly<Record<RetrySchedule, readonly number[]>>;
  /** Returns a number from 0 to less than 1, for the jitter of the long schedule. */
  random: () => number;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/**
 * Delays measured from when the result of the previous attempt is written. The long schedule is the
 * example of Standard Webhooks 1.0.0, "Deliverability and reliability": ten attempts in 3 days and
 * 3.6 hours, without the jitter.
 */
export const RETRY_DELAYS_MS: RetryPolicy['delaysMs'] = {
  standard: [SECOND_MS, 5 * SECOND_MS],
  long: [
    5 * SECOND_MS,
    5 * MINUTE_MS,
    30 * MINUTE_MS,
    2 * HOUR_MS,
    5 * HOUR_MS,
    10 * HOUR_MS,
    14 * HOUR_MS,
    20 * HOUR_MS,
    24 * HOUR_MS,
  ],
};

/** Longest possible extension of a delay of the long schedule, as a share of the delay. */
const JITTER = 0.1;
/** Longest delay that a receiver can request with `Retry-After`. */
const RETRY_AFTER_MAX_MS = 24 * HOUR_MS;

/**
 * Returns the delay before the next attempt, or undefined if the failed attempt was the last one.
 * The standard schedule is exact. On the long one a delay is extended by up to 10 %, so that
 * deliveries that failed together are not retried together, and then to the receiver's
 * `Retry-After`, if that is longer.
 */
export const findRetryDelayMs = (
  { retrySchedule, attempt }: Pick<DueDelivery, 'retrySchedule' | 'attempt'>,
  { retryAfterMs = 0 }: AttemptResponse,
  { delaysMs, random }: RetryPolicy,
): number | undefined => {
  const delayMs = delaysMs[retrySchedule][attempt - 1];
  if (delayMs === undefined || retrySchedule === 'standard') return delayMs;
  const extendedMs = Math.round(delayMs * (1 + JITTER * random()));
  return Math.max(extendedMs, Math.min(retryAfterMs, RETRY_AFTER_MAX_MS));
};

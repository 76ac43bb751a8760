import type { AttemptResponse, AttemptResult, DueDelivery, Settlement } from './delivery.ts';
import { findRetryDelayMs } from './retry-schedule.ts';
import type { RetryPolicy } from './retry-schedule.ts';

/** Ends the delivery, or schedules its next attempt by the schedule of its webhook. */
export const settleAttempt = (
  due: DueDelivery,
  response: AttemptResponse,
  policy: RetryPolicy,
): Settlement => {
  const result = toResult(response);
  const base = { ...identify(due), result };
  if (result.error === null) return { ...base, state: 'delivered', delayMs: 0 };
  const delayMs = findRetryDelayMs(due, response, policy);
  if (delayMs === undefined) return { ...base, state: 'failed', delayMs: 0 };
  return { ...base, state: 'pending', delayMs };
};

/**
 * Returns a settlement that releases the lease without counting an attempt, so that any replica may
 * retry after `delayMs`.
 */
export const releaseLease = (due: DueDelivery, { delayMs }: { delayMs: number }): Settlement => ({
  ...identify(due),
  state: 'pending',
  result: undefined,
  delayMs,
});

const identify = ({ id, webhookId, lease }: DueDelivery) => ({ id, webhookId, lease });

const toResult = ({ statusCode, error }: AttemptResponse): AttemptResult => ({ statusCode, error });

/** A webhook whose last attempt was slow gets only one attempt at a time. */
export const isSlow = ({ error }: AttemptResult): boolean => error === 'timeout';

const GONE = 410;

/**
 * Returns whether the attempt disables its webhook: the receiver responded 410, which says that it
 * wants no further events (Standard Webhooks 1.0.0, RFC 9110). On the standard schedule only the
 * last attempt counts, because the contract retries every status but 2xx.
 */
export const isDisabling = (
  { retrySchedule }: Pick<DueDelivery, 'retrySchedule'>,
  { state, result }: Settlement,
): boolean => result?.statusCode === GONE && (retrySchedule === 'long' || state === 'failed');

import { describe, expect, it } from '@jest/globals';
import type { DueDelivery } from './delivery.ts';
import { releaseLease, RETRY_DELAYS_MS, settleAttempt } from './settle-attempt.ts';

const dueAt = (attempt: number): DueDelivery => ({
  id: 'dlv_1',
  workspaceId: 'ws_1',
  webhookId: 'whk_1',
  event: 'webhook.test',
  body: '{}',
  lease: '0b1b6f6e-5f3c-4b43-9d5c-111111111111',
  attempt,
  url: 'https://example.com/',
  secrets: [],
  waitedMs: 0,
  trace: {},
});
const SUCCESS = { statusCode: 204, error: null };
const FAILURE = { statusCode: 500, error: 'http_status' } as const;

describe('an attempt', () => {
  it.each([
    [1, 'pending', 1_000],
    [2, 'pending', 5_000],
    [3, 'failed', 0],
    // A row of a release with a longer schedule.
    [4, 'failed', 0],
  ])('that fails as number %i leaves its delivery %s, for %i ms', (attempt, state, delayMs) => {
    const settled = settleAttempt(dueAt(attempt), FAILURE, RETRY_DELAYS_MS);
    expect(settled).toMatchObject({ state, delayMs, result: FAILURE });
  });

  it.each([1, 2, 3])('that succeeds as number %i ends its delivery', (attempt) => {
    const settled = settleAttempt(dueAt(attempt), SUCCESS, RETRY_DELAYS_MS);
    expect(settled).toMatchObject({ state: 'delivered', delayMs: 0, result: SUCCESS });
  });

  it('that could not be made does not count', () => {
    const { id, webhookId, lease } = dueAt(3);
    const given = { id, webhookId, lease, state: 'pending', result: undefined, delayMs: 70 };
    expect(releaseLease(dueAt(3), { delayMs: 70 })).toEqual(given);
  });
});

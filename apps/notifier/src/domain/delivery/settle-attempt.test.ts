import { describe, expect, it } from '@jest/globals';
import type { DueDelivery } from './delivery.ts';
import { giveBack, RETRY_DELAYS_MS, settleAttempt } from './settle-attempt.ts';

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
    // Left behind by a release with a longer schedule.
    [4, 'failed', 0],
  ])('that fails as number %i leaves its delivery %s, for %i ms', (attempt, state, delayMs) => {
    const settled = settleAttempt(dueAt(attempt), FAILURE, RETRY_DELAYS_MS);
    expect(settled).toMatchObject({ state, delayMs, spent: FAILURE });
  });

  it.each([1, 2, 3])('that succeeds as number %i ends its delivery', (attempt) => {
    const settled = settleAttempt(dueAt(attempt), SUCCESS, RETRY_DELAYS_MS);
    expect(settled).toMatchObject({ state: 'delivered', delayMs: 0, spent: SUCCESS });
  });

  it('that could not be made spends nothing', () => {
    const { id, webhookId, lease } = dueAt(3);
    const given = { id, webhookId, lease, state: 'pending', spent: undefined, delayMs: 70 };
    expect(giveBack(dueAt(3), { delayMs: 70 })).toEqual(given);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { DueDelivery } from './delivery.ts';
import { releaseLease, RETRY_DELAYS_MS, settleAttempt } from './delivery-worker.ts';

const dueForAttempt = (attempt: number): DueDelivery => ({
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

describe('settleAttempt', () => {
  it.each([
    [1, 'pending', 1_000],
    [2, 'pending', 5_000],
    [3, 'failed', 0],
    // A delivery with more attempts than the schedule has, as a release with a longer schedule may
    // leave behind.
    [4, 'failed', 0],
  ])(
    'sets the delivery after failed attempt %i to %s, with a delay of %i ms',
    (attempt, state, delayMs) => {
      const settlement = settleAttempt(dueForAttempt(attempt), FAILURE, RETRY_DELAYS_MS);
      expect(settlement).toMatchObject({ state, delayMs, result: FAILURE });
    },
  );

  it.each([1, 2, 3])('sets the delivery to delivered after successful attempt %i', (attempt) => {
    const settlement = settleAttempt(dueForAttempt(attempt), SUCCESS, RETRY_DELAYS_MS);
    expect(settlement).toMatchObject({ state: 'delivered', delayMs: 0, result: SUCCESS });
  });

  it('releases an attempt that could not be made, without counting it', () => {
    const { id, webhookId, lease } = dueForAttempt(3);
    const expected = { id, webhookId, lease, state: 'pending', result: undefined, delayMs: 70 };
    expect(releaseLease(dueForAttempt(3), { delayMs: 70 })).toEqual(expected);
  });
});

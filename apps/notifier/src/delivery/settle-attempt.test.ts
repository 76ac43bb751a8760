import { describe, expect, it } from '@jest/globals';
import type { DueDelivery } from './delivery.ts';
import { RETRY_COUNT_MAX } from '@witan/contracts';
import { RETRY_DELAYS_MS } from './retry-schedule.ts';
import { isDisabling, releaseLease, settleAttempt } from './settle-attempt.ts';

const dueForAttempt = (
  attempt: number,
  retrySchedule: DueDelivery['retrySchedule'] = 'standard',
): DueDelivery => ({
  id: 'dlv_1',
  workspaceId: 'ws_1',
  webhookId: 'whk_1',
  event: 'webhook.test',
  body: '{}',
  lease: '0b1b6f6e-5f3c-4b43-9d5c-111111111111',
  attempt,
  retrySchedule,
  endpointVersion: 1,
  url: 'https://example.com/',
  secrets: [],
  waitedMs: 0,
  trace: {},
});
const SUCCESS = { statusCode: 204, error: null };
const FAILURE = { statusCode: 500, error: 'http_status' } as const;
const GONE = { statusCode: 410, error: 'http_status' } as const;
const POLICY = { delaysMs: RETRY_DELAYS_MS, random: () => 0 };
const HOUR_MS = 3_600_000;

describe('settleAttempt', () => {
  it.each([
    [1, 'pending', 1_000],
    [2, 'pending', 5_000],
    [3, 'failed', 0],
    // A delivery with more attempts than the schedule has, after a change from the long schedule.
    [4, 'failed', 0],
  ])(
    'sets the delivery after failed attempt %i to %s, with a delay of %i ms',
    (attempt, state, delayMs) => {
      const settlement = settleAttempt(dueForAttempt(attempt), FAILURE, POLICY);
      expect(settlement).toMatchObject({ state, delayMs, result: FAILURE });
    },
  );

  it('follows the example of Standard Webhooks on the long schedule', () => {
    const delays = Array.from({ length: RETRY_COUNT_MAX }, (_, n) => {
      const { state, delayMs } = settleAttempt(dueForAttempt(n + 1, 'long'), FAILURE, POLICY);
      expect(state).toBe('pending');
      return delayMs / 1_000;
    });
    const startedAfter = delays.map((_delay, n) =>
      delays.slice(0, n + 1).reduce((sum, delay) => sum + delay, 0),
    );
    // Its column "Time since start", in seconds.
    expect(startedAfter).toEqual([5, 305, 2_105, 9_305, 27_305, 63_305, 113_705, 185_705, 272_105]);
    const last = settleAttempt(dueForAttempt(RETRY_COUNT_MAX + 1, 'long'), FAILURE, POLICY);
    expect(last).toMatchObject({ state: 'failed', delayMs: 0 });
  });

  it.each([
    ['long', 0, 300_000],
    ['long', 0.5, 315_000],
    ['long', 0.999_999, 330_000],
    ['standard', 0.999_999, 5_000],
  ] as const)('extends the delay of the %s schedule for random %d to %i ms', (name, value, ms) => {
    const policy = { ...POLICY, random: () => value };
    expect(settleAttempt(dueForAttempt(2, name), FAILURE, policy).delayMs).toBe(ms);
  });

  it.each([
    ['long', HOUR_MS, HOUR_MS],
    ['long', 1_000, 5_000],
    ['long', 100 * HOUR_MS, 24 * HOUR_MS],
    ['standard', HOUR_MS, 1_000],
  ] as const)('sets on the %s schedule, for a Retry-After of %i ms, a delay of %i ms', (...row) => {
    const [name, retryAfterMs, delayMs] = row;
    const settlement = settleAttempt(dueForAttempt(1, name), { ...FAILURE, retryAfterMs }, POLICY);
    expect(settlement).toMatchObject({ state: 'pending', delayMs, result: FAILURE });
  });

  it('does not postpone the end of a delivery for a Retry-After', () => {
    const response = { ...FAILURE, retryAfterMs: HOUR_MS };
    expect(settleAttempt(dueForAttempt(10, 'long'), response, POLICY).state).toBe('failed');
  });

  it.each([1, 2, 3])('sets the delivery to delivered after successful attempt %i', (attempt) => {
    const settlement = settleAttempt(dueForAttempt(attempt), SUCCESS, POLICY);
    expect(settlement).toMatchObject({ state: 'delivered', delayMs: 0, result: SUCCESS });
  });

  it('releases an attempt that could not be made, without counting it', () => {
    const { id, webhookId, lease } = dueForAttempt(3);
    const expected = { id, webhookId, lease, state: 'pending', result: undefined, delayMs: 70 };
    expect(releaseLease(dueForAttempt(3), { delayMs: 70 })).toEqual(expected);
  });
});

describe('isDisabling', () => {
  it.each([
    ['standard', 1, GONE, false],
    ['standard', 2, GONE, false],
    ['standard', 3, GONE, true],
    ['standard', 4, GONE, true],
    ['standard', 3, FAILURE, false],
    ['long', 1, GONE, true],
    ['long', 10, GONE, true],
    ['long', 10, FAILURE, false],
  ] as const)('on the %s schedule, attempt %i with %j: %s', (name, attempt, response, expected) => {
    const due = dueForAttempt(attempt, name);
    expect(isDisabling(due, settleAttempt(due, response, POLICY))).toBe(expected);
  });

  it('is false for an attempt that does not count', () => {
    const due = dueForAttempt(3);
    expect(isDisabling(due, releaseLease(due, { delayMs: 0 }))).toBe(false);
  });
});

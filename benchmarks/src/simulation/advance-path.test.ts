import { describe, expect, it } from '@jest/globals';
import type { CallTimes } from '../debates/council-provider.ts';
import { toAdvancePath } from './advance-path.ts';

const call = (
  scenario: string,
  round: number,
  [arrivedAt, endedAt]: [number, number],
): CallTimes => ({
  debate: 1,
  scenario,
  kind: 'agent',
  round,
  arrivedAt,
  endedAt,
  promptTokens: 0,
  completionTokens: 0,
});

/**
 * Two rounds of the scenarios A and B, 20 ms after the request and until 15 ms before the response.
 * The slowest calls of A take 100 and 40 ms, those of B 60 and 110 ms.
 */
const CALLS = [
  call('A', 1, [120, 220]),
  call('A', 1, [121, 170]),
  call('B', 1, [125, 185]),
  call('A', 2, [230, 270]),
  call('B', 2, [195, 305]),
];

describe('toAdvancePath', () => {
  it('is as long as the longest panel, and each round as long as its slowest call', () => {
    expect(toAdvancePath({ sentAt: 100, endedAt: 320, calls: CALLS })).toEqual({
      wallMs: 220,
      criticalMs: 170,
      beginMs: 20,
      tailMs: 15,
    });
  });

  it('is not longer if scenarios wait for each other', () => {
    const late = CALLS.map((one) =>
      one.scenario === 'B'
        ? { ...one, arrivedAt: one.arrivedAt + 500, endedAt: one.endedAt + 500 }
        : one,
    );
    expect(toAdvancePath({ sentAt: 100, endedAt: 820, calls: late })).toMatchObject({
      wallMs: 720,
      criticalMs: 170,
    });
  });

  it('throws if no model was called', () => {
    expect(() => toAdvancePath({ sentAt: 0, endedAt: 1, calls: [] })).toThrow('asked nobody');
  });
});

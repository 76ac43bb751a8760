import { describe, expect, it } from '@jest/globals';
import type { CallTimes } from '../debates/council-provider.ts';
import { judgeAdvances, summarizeAdvances, toAdvancePath } from './summarize-advances.ts';
import type { AdvanceRow } from './summarize-advances.ts';

const all = (value: number) => ({ p50: value, p95: value, p99: value, mean: value, max: value });

const toRow = (scenarios: number, round: number, wallMs: number): AdvanceRow => ({
  scenarios,
  agents: 5,
  delayMs: 1_000,
  round,
  turns: 10,
  wallMs: all(wallMs),
  criticalMs: all(2_000),
  ratio: all(wallMs / 2_000),
  beginMs: all(10),
  tailMs: all(20),
  cpuPer1000: 3,
  cpuPer1000By: { witan: 3 },
  bystanderCpuPer1000By: {},
});

const ROWS = [
  ...[2_100, 2_200, 2_900].map((wallMs, round) => toRow(1, round, wallMs)),
  ...[2_300, 2_640, 2_700].map((wallMs, round) => toRow(16, round, wallMs)),
];

describe('summarizeAdvances', () => {
  it('returns medians of rounds, and their growth with scenarios', () => {
    expect(summarizeAdvances(ROWS)).toMatchObject([
      { scenarios: 1, wallMs: 2_200, ratio: 1.1, growth: 1 },
      { scenarios: 16, wallMs: 2_640, ratio: 1.32, growth: 1.2 },
    ]);
  });
});

describe('judgeAdvances', () => {
  it('judges the longest delay, and counts an unmeasured aim as missed', () => {
    const summary = summarizeAdvances(ROWS);
    const judged = judgeAdvances(summary, { scenarios: [1, 4, 16], delaysMs: [0, 1_000] });
    expect(judged.map(({ met }) => met)).toEqual([true, false, false]);
  });
});

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
    expect(() => toAdvancePath({ sentAt: 0, endedAt: 1, calls: [] })).toThrow('made no model call');
  });
});

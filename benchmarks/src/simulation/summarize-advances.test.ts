import { describe, expect, it } from '@jest/globals';
import { judgeAdvances, summarizeAdvances } from './summarize-advances.ts';
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

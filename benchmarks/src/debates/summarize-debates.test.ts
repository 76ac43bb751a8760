import { describe, expect, it } from '@jest/globals';
import type { DebateRow } from './summarize-debates.ts';
import { judgeDebates, summarizeDebates } from './summarize-debates.ts';

const toLatency = (p50: number) => ({ p50, p95: 2 * p50, p99: 3 * p50, mean: p50, max: 4 * p50 });

const makeRow = (agents: number, ratio: number, overrides: Partial<DebateRow> = {}): DebateRow => ({
  agents,
  delayMs: 100,
  inFlight: 1,
  round: 1,
  debates: 10,
  wallMs: toLatency(400 * ratio),
  criticalMs: toLatency(400),
  ratio: toLatency(ratio),
  burstOverheadMs: toLatency(5),
  roundOverheadMs: toLatency(12),
  frameOverheadMs: toLatency(5),
  synthesisOverheadMs: toLatency(5),
  tailMs: toLatency(2),
  perSecond: 2,
  tokens: 9_000,
  formulaTokens: 10_000,
  cpuPer1000: 100,
  cpuPer1000By: { witan: 100 },
  bystanderCpuPer1000By: {},
  ...overrides,
});

describe('summarizeDebates', () => {
  it('returns the median of the rounds of a row', () => {
    const rows = [1.1, 1.4, 1.2].map((ratio, index) => makeRow(8, ratio, { round: index + 1 }));
    expect(summarizeDebates(rows)).toMatchObject([
      { agents: 8, ratio: { p50: 1.2, p95: 2.4 }, tokensOfFormula: 0.9 },
    ]);
  });

  it('separates sequential from concurrent debates', () => {
    const rows = [makeRow(5, 1.1), makeRow(5, 3, { inFlight: 20 })];
    expect(summarizeDebates(rows).map(({ inFlight }) => inFlight)).toEqual([1, 20]);
  });
});

describe('judgeDebates', () => {
  it('compares debates with their models and rounds with their overhead', () => {
    const rows = summarizeDebates([makeRow(8, 1.2), makeRow(8, 9, { delayMs: 0 })]);
    const aims = judgeDebates(rows, { agents: [8], delaysMs: [0, 100] });
    expect(aims.map(({ measured, met }) => [measured, met])).toEqual([
      [1.2, false],
      [19, true],
      [19, true],
      [0.9, true],
    ]);
  });

  it('counts an unmeasured aim as missed', () => {
    const aims = judgeDebates([], { agents: [8], delaysMs: [100] });
    expect(aims.map(({ met }) => met)).toEqual([false, false, false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { ChatRow } from './summarize-turns.ts';
import { judgeTurns, summarizeTurns } from './summarize-turns.ts';

const toLatency = (p50: number) => ({ p50, p95: 2 * p50, p99: 3 * p50, mean: p50, max: 4 * p50 });

const makeRow = (
  system: ChatRow['system'],
  p50: number,
  overrides: Partial<ChatRow> = {},
): ChatRow => ({
  system,
  delayMs: 100,
  inFlight: 1,
  round: 1,
  calls: 40,
  elapsedMs: 5_000,
  perSecond: 8,
  latencyMs: toLatency(100 + p50),
  overheadMs: toLatency(p50),
  cpuPer1000: p50,
  cpuPer1000By: { witan: p50 },
  bystanderCpuPer1000By: {},
  ...overrides,
});

const ROWS = [
  makeRow('bare', 1),
  makeRow('completion', 4),
  makeRow('turn', 12),
  makeRow('turn, over MCP', 15),
  makeRow('turn, streamed', 16),
  makeRow('turn, one tool', 21),
];

describe('summarizeTurns', () => {
  it('returns the median of the rounds of a row', () => {
    const rounds = [9, 30, 10].map((p50, index) => makeRow('turn', p50, { round: index + 1 }));

    expect(summarizeTurns(rounds)).toMatchObject([
      { system: 'turn', overheadMs: { p50: 10, p95: 20, p99: 30 }, cpuPer1000: 10 },
    ]);
  });

  it('relates a turn to the bare call and the completion of the same load', () => {
    const other = makeRow('bare', 11, { inFlight: 8 });
    const turn = summarizeTurns([...ROWS, other]).find(({ system }) => system === 'turn');

    expect(turn!.ratios).toEqual({
      'p50 - bare': 11,
      'p50 - completion': 8,
      'CPU of completion': 3,
    });
  });
});

describe('judgeTurns', () => {
  it('compares the overhead of turns and of a tool round with their aims', () => {
    const aims = judgeTurns(summarizeTurns(ROWS), { delaysMs: [100], inFlight: [1] });

    expect(aims.map(({ measured, met }) => ({ measured, met }))).toEqual([
      { measured: 12, met: true },
      { measured: 16, met: false },
      { measured: 9, met: true },
      { measured: 1.25, met: true },
      { measured: 1.25, met: true },
    ]);
  });

  it('counts an unmeasured aim as missed', () => {
    const aims = judgeTurns(summarizeTurns(ROWS), { delaysMs: [100], inFlight: [8] });

    expect(aims.map(({ met }) => met)).toEqual([false, false]);
  });

  it('does not judge turns that only wait for each other', () => {
    expect(judgeTurns([], { delaysMs: [0], inFlight: [8] })).toEqual([]);
  });
});

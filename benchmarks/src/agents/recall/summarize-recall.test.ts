import { describe, expect, it } from '@jest/globals';
import { judgeRecall, RECALL_LOAD, summarizeRecall } from './summarize-recall.ts';
import type { RecallRow } from './summarize-recall.ts';

const makeRow = (
  system: RecallRow['system'],
  p95: number,
  overrides: Partial<RecallRow> = {},
): RecallRow => ({
  system,
  load: RECALL_LOAD,
  inFlight: 1,
  round: 1,
  memoriesPerCall: 190,
  calls: 1_000,
  elapsedMs: 2_500,
  perSecond: 400,
  latencyMs: { p50: p95 / 2, p95, p99: 2 * p95, mean: p95 / 2, max: 3 * p95 },
  cpuPer1000: p95,
  cpuPer1000By: { [system]: p95 },
  bystanderCpuPer1000By: {},
  ...overrides,
});

describe('summarizeRecall', () => {
  it('returns medians, and relates the agents to plain statements of the same load', () => {
    const rows = [
      makeRow('plain', 2),
      makeRow('plain', 50, { inFlight: 8 }),
      ...[4, 9, 5].map((p95, index) => makeRow('agents', p95, { round: index + 1 })),
    ];
    const agents = summarizeRecall(rows).find(({ system }) => system === 'agents');

    expect(agents).toMatchObject({ p50: 2.5, p95: 5, p99: 10, memoriesPerCall: 190 });
    expect(agents!.ratios).toEqual({
      'p50 of plain': 2.5,
      'p95 of plain': 2.5,
      'CPU of plain': 2.5,
    });
  });
});

describe('judgeRecall', () => {
  it('judges the agents and not the reference', () => {
    const summary = summarizeRecall([makeRow('plain', 50), makeRow('agents', 5)]);

    expect(judgeRecall(summary)).toMatchObject([{ measured: 5, met: true }]);
  });

  it('counts an unmeasured aim as missed', () => {
    expect(judgeRecall([])).toMatchObject([{ met: false }]);
  });
});

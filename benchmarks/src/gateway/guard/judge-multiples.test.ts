import { describe, expect, it } from '@jest/globals';
import type { RawRow } from '../../report/summarize-rows.ts';
import { judgeMultiples, readMultiples } from './judge-multiples.ts';

const ROW = 'standalone, chat-plain, 64 at once';
const isWorse = (before: readonly number[], now: readonly number[]): boolean[] =>
  judgeMultiples([{ row: ROW, multiples: before }], [{ row: ROW, multiples: now }]).map(
    (one) => one.isWorse,
  );

describe('judgeMultiples', () => {
  it.each([
    ['of equal medians', [2, 2, 2], [2, 2, 2, 2, 2], false],
    ['that got better', [2, 2, 2], [1, 1, 1, 1, 1], false],
    ['worse by less than a tenth, in steady rounds', [2, 2, 2], [2.19, 2.19, 2.19], false],
    ['worse by more than a tenth, in steady rounds', [2, 2, 2], [2.21, 2.21, 2.21], true],
    ['worse by less than half of both ranges', [1.8, 2, 2.2], [2.1, 2.35, 2.5], false],
    ['worse by more than half of both ranges', [1.8, 2, 2.2], [2.3, 2.45, 2.5], true],
    ['worse by less than 30 %, in noisy rounds', [1, 2, 4], [1, 2.55, 5], false],
    ['worse by more than 30 %, in noisy rounds', [1, 2, 4], [1, 2.65, 5], true],
  ])('judges rows %s', (_case, before, now, worse) => {
    expect(isWorse(before, now)).toEqual([worse]);
  });

  it('returns both medians and the bound', () => {
    const before = [{ row: ROW, multiples: [1, 2, 3] }];

    expect(judgeMultiples(before, [{ row: ROW, multiples: [2, 4, 4] }])).toEqual([
      { row: ROW, before: 2, now: 4, bound: 2.6, isWorse: true },
    ]);
  });

  it('leaves out rows that were not measured before', () => {
    expect(judgeMultiples([], [{ row: ROW, multiples: [1] }])).toEqual([]);
  });
});

const makeRow = (system: string, round: number, cpuPer1000: number): RawRow => ({
  system,
  round,
  load: 'chat-plain',
  inFlight: 64,
  calls: 1,
  elapsedMs: 1,
  perSecond: 1,
  latencyMs: { p50: 1, p95: 1, p99: 1, mean: 1, max: 1 },
  cpuPer1000,
  cpuPer1000By: {},
  bystanderCpuPer1000By: {},
});

describe('readMultiples', () => {
  it("divides each of Witan's rounds by floor-work in the same round", () => {
    const rows = [
      makeRow('pipe', 1, 0.5),
      makeRow('floor-work', 1, 1),
      makeRow('standalone', 1, 3),
      makeRow('standalone, metered', 1, 9),
      makeRow('floor-work', 2, 2),
      makeRow('standalone', 2, 8),
    ];

    expect(readMultiples(rows)).toEqual([{ row: ROW, multiples: [3, 4] }]);
  });
});

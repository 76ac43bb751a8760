import { describe, expect, it } from '@jest/globals';
import { percentileRanks } from './percentile-ranks.ts';

describe('percentileRanks', () => {
  // Expected ranks are from Conover, Practical Nonparametric Statistics: order statistics of the
  // median at 95 %.
  it.each([
    [10, 2, 9],
    [20, 6, 15],
    [30, 10, 21],
    [50, 18, 33],
    [100, 40, 61],
  ])('returns the confidence interval of the median of %d draws', (runs, low, high) => {
    expect(percentileRanks(0.5, runs)).toEqual({ rank: runs / 2, low, high });
  });

  it('returns the outermost rank if there are too few draws', () => {
    expect(percentileRanks(0.05, 10)).toMatchObject({ rank: 1, low: 1 });
    expect(percentileRanks(0.95, 10)).toMatchObject({ rank: 10, high: 10 });
  });

  it('returns mirrored ranks for the opposite percentile', () => {
    for (const runs of [10, 37, 1_000, 10_000]) {
      const [lower, upper] = [percentileRanks(0.05, runs), percentileRanks(0.95, runs)];
      expect([runs + 1 - upper.high, runs + 1 - upper.low]).toEqual([lower.low, lower.high]);
    }
  });

  it('returns bounds about two standard deviations from the percentile', () => {
    const { rank, low, high } = percentileRanks(0.25, 10_000);
    const sd = Math.sqrt(10_000 * 0.25 * 0.75);
    expect((rank - low) / sd).toBeCloseTo(1.96, 1);
    expect((high - rank) / sd).toBeCloseTo(1.96, 1);
  });
});

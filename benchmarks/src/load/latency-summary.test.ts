import { describe, expect, it } from '@jest/globals';
import { summarizeLatencies } from './latency-summary.ts';

describe('summarizeLatencies', () => {
  it('returns samples by nearest rank, in any order', () => {
    const samples = Array.from({ length: 200 }, (_, index) => 200 - index);

    const summary = { p50: 100, p95: 190, p99: 198, mean: 100.5, max: 200 };
    expect(summarizeLatencies(samples)).toEqual(summary);
  });

  it('returns the only sample for every percentile', () => {
    expect(summarizeLatencies([7])).toEqual({ p50: 7, p95: 7, p99: 7, mean: 7, max: 7 });
  });
});

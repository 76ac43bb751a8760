import { describe, expect, it } from '@jest/globals';
import { fitSlope } from './fit-slope.ts';

const toPoints = (values: readonly number[]) =>
  values.map((value, index) => ({ minute: index / 12, value }));

describe('fitSlope', () => {
  it('finds the slope of a straight line, without error', () => {
    const { perMinute, standardError } = fitSlope(toPoints([100, 101, 102, 103, 104]));

    expect(perMinute).toBeCloseTo(12);
    expect(standardError).toBeCloseTo(0);
  });

  it('agrees with a regression calculated by hand', () => {
    const values = [3, 1, 4, 1, 5];
    // Calculated by hand: the slope is 0.4 per step and the squared residuals sum to 11.2, so the
    // standard error is sqrt(11.2 / 3 / 10) per step.
    const { perMinute, standardError } = fitSlope(toPoints(values));

    expect(perMinute).toBeCloseTo(0.4 * 12);
    expect(standardError).toBeCloseTo(Math.sqrt(11.2 / 3 / 10) * 12);
  });

  it('has a larger error for correlated values than for independent ones', () => {
    const wandering = fitSlope(toPoints([0, 1, 2, 1, 0, -1, -2, -1, 0, 1, 2, 1, 0]));
    const jumping = fitSlope(toPoints([0, 1, -1, 1, -2, 1, 2, 0, -1, 1, -1, 2, 0]));

    expect(wandering.standardError).toBeGreaterThan(jumping.standardError * 1.5);
  });

  it.each([[[]], [[1]], [[1, 2]]])('returns an infinite error for %j', (values) => {
    expect(fitSlope(toPoints(values)).standardError).toBe(Infinity);
  });
});

import { describe, expect, it } from '@jest/globals';
import { roundToScale, scaleFor } from './fix.ts';

describe('fix', () => {
  it.each([
    [0.1 + 0.2, 100, 0.3],
    [1_234.567_8, 100, 1_234.57],
    [-0.001, 100, 0],
    [2 ** 60 + 256, 100, 2 ** 60 + 256],
    [-7.125, 100, -7.12],
  ])('rounds %d in steps of 1/%d to %d', (value, scale, expected) => {
    expect(Object.is(roundToScale(value, scale), expected)).toBe(true);
  });
});

describe('scaleFor', () => {
  it.each([
    [5_000_000, 9, 100],
    [1.2, 9, 1e8],
    [1e12, 9, 1],
  ])('returns the scale for %d with %d digits', (size, digits, expected) => {
    expect(scaleFor(size, digits)).toBe(expected);
  });
});

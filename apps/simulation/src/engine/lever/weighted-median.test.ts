import { describe, expect, it } from '@jest/globals';
import { weightedMedian } from './decide.ts';

describe('weightedMedian', () => {
  it.each<[string, [number, number][], number]>([
    ['one', [[4, 1]], 4],
    [
      'the middle of three',
      [
        [9, 1],
        [1, 1],
        [2, 1],
      ],
      2,
    ],
    [
      'between two',
      [
        [1, 1],
        [3, 1],
      ],
      2,
    ],
    [
      'the heavier of two',
      [
        [1, 0.6],
        [3, 1],
      ],
      3,
    ],
    [
      'between where weights balance',
      [
        [1, 1],
        [2, 1],
        [8, 2],
      ],
      5,
    ],
  ])('returns %s', (_, items, expected) => {
    const weighted = items.map(([value, weight]) => ({ value, weight }));

    expect(weightedMedian(weighted)).toBe(expected);
    expect(weightedMedian(weighted.toReversed())).toBe(expected);
  });
});

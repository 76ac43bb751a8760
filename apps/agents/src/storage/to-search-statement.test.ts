import { describe, expect, it } from '@jest/globals';
import { toCounts } from '../domain/knowledge/search/term.ts';
import { toSearchStatement } from './to-search-statement.ts';

const counts = toCounts(
  (
    [
      ['oil', 1],
      ['gas', 2],
    ] as const
  ).map(([base, sourceNo]) => ({ base, sourceNo, chunks: 1, thrice: 0, sixTimes: 0 })),
);
const OIL = { clause: { all: ['oil'], any: [] }, weight: 2 };
/** No source has both. */
const BOTH = { clause: { all: ['oil', 'gas'], any: [] }, weight: 3 };

describe('toSearchStatement', () => {
  it('has a place for each value, and none for what no source can fulfil', () => {
    const plan = {
      complete: [BOTH, OIL],
      sampled: [
        { ...BOTH, limit: 9 },
        { ...OIL, limit: 9 },
      ],
    };
    const { text, values } = toSearchStatement(plan, counts, 64)!;
    expect(values).toEqual(["('1.oil')", 2, "('1.oil')", 2, 64]);
    expect(
      [...text.matchAll(/\$(\d)/g)]
        .map(([, parameter]) => Number(parameter))
        .toSorted((one, other) => one - other),
    ).toEqual([1, 2, 3, 4, 5]);
  });

  it('is none when there is nothing to find', () => {
    expect(toSearchStatement({ complete: [BOTH], sampled: [] }, counts, 64)).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { toCounts } from '../search/term.ts';
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
const WEIGHTED_CLAUSE = { clause: { all: ['oil', 'gas'], any: [] }, weight: 3 };

describe('toSearchStatement', () => {
  it('has one parameter per value, and none for clauses that no source matches', () => {
    const plan = {
      complete: [WEIGHTED_CLAUSE, OIL],
      sampled: [
        { ...WEIGHTED_CLAUSE, limit: 9 },
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

  it('returns undefined if no source matches', () => {
    expect(
      toSearchStatement({ complete: [WEIGHTED_CLAUSE], sampled: [] }, counts, 64),
    ).toBeUndefined();
  });
});

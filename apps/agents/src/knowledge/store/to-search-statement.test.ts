import { describe, expect, it } from '@jest/globals';
import { toCounts } from '../search/term.ts';
import type { BaseCounts } from '../search/term.ts';
import { toSearchStatement, toTsquery } from './to-search-statement.ts';

const countsOf = (...pairs: [base: string, sourceNo: number][]): BaseCounts =>
  toCounts(
    pairs.map(([base, sourceNo]) => ({ base, sourceNo, chunks: 1, thrice: 0, sixTimes: 0 })),
  );

const OIL = { clause: { all: ['oil'], any: [] }, weight: 2 };
const WEIGHTED_CLAUSE = { clause: { all: ['oil', 'gas'], any: [] }, weight: 3 };

describe('toSearchStatement', () => {
  const counts = countsOf(['oil', 1], ['gas', 2]);

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

describe('toTsquery', () => {
  const counts = countsOf(['oil', 1], ['oil', 2], ['gas', 2], ['inter*', 2]);

  it.each([
    ['a word of two sources', { all: ['oil'], any: [] }, "('1.oil') | ('2.oil')"],
    ['words of one source only', { all: ['oil^3', 'gas'], any: [] }, "('2.oil^3' & '2.gas')"],
    ['one of several', { all: ['oil'], any: ['gas', 'rum'] }, "('2.oil' & ('2.gas'))"],
    ['a long word', { all: ['internet'], any: [] }, "('2.internet')"],
    ['undefined for a word of no source', { all: ['rum'], any: [] }, undefined],
    ['undefined for words of different sources', { all: ['rum', 'oil'], any: [] }, undefined],
  ])('returns %s', (_name, clause, query) => {
    expect(toTsquery(clause, counts)).toBe(query);
  });
});

import { describe, expect, it } from '@jest/globals';
import type { BaseCounts } from '../search/term.ts';
import { toCounts } from '../search/term.ts';
import { toTsquery } from './to-search-statement.ts';

const countsOf = (...pairs: [base: string, sourceNo: number][]): BaseCounts =>
  toCounts(
    pairs.map(([base, sourceNo]) => ({ base, sourceNo, chunks: 1, thrice: 0, sixTimes: 0 })),
  );

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

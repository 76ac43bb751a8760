import { describe, expect, it } from '@jest/globals';
import { planSearch } from './plan-search.ts';
import { chooseTerms, readQuery, toCounts } from './term.ts';
import type { BaseCount, BaseCounts } from './term.ts';

const CHUNKS = 1_000_000;

/**
 * Converts triples by base to `BaseCounts`; a triple counts the chunks with at least 1, 3 and 6
 * occurrences.
 */
const countsOf = (bases: Readonly<Record<string, [number, number, number]>>): BaseCounts =>
  toCounts(
    Object.entries(bases).map(([base, [chunks, thrice, sixTimes]]): BaseCount => ({
      base,
      sourceNo: 1,
      chunks,
      thrice,
      sixTimes,
    })),
  );

const plan = (query: string, counts: BaseCounts) =>
  planSearch(chooseTerms(readQuery(query), counts, CHUNKS), counts);

describe('planSearch', () => {
  it('takes all chunks with rare words and searches common words only there', () => {
    const counts = countsOf({ gin: [100, 5, 0], rum: [200, 5, 0], oil: [90_000, 9_000, 900] });
    const { complete } = plan('rum gin oil', counts);
    expect(complete.map(({ clause }) => clause)).toEqual([
      { all: ['gin'], any: [] },
      { all: ['rum'], any: [] },
      { all: ['oil'], any: ['gin', 'rum'] },
    ]);
  });

  it('samples chunks with several common words or repeated ones', () => {
    const counts = countsOf({ oil: [90_000, 9_000, 900], gas: [300_000, 40_000, 4_000] });
    const { complete, sampled } = plan('gas oil', counts);
    expect(complete).toEqual([]);
    expect(sampled.map(({ clause }) => clause.all)).toEqual([
      ['oil^6', 'gas'],
      ['oil^6'],
      ['gas^6'],
    ]);
    expect(sampled.every(({ limit }) => limit <= 100)).toBe(true);
  });

  it('searches a long word in its exact form when its base is common', () => {
    const counts = countsOf({ 'inter*': [200_000, 20_000, 2_000] });
    const { sampled } = plan('interoperability', counts);
    expect(sampled.map(({ clause }) => clause.all)).toContainEqual(['interoperability']);
  });

  it('limits the number of clauses', () => {
    const bases = Array.from({ length: 64 }, (_, index) => `w${index}`);
    const counts = countsOf(Object.fromEntries(bases.map((base) => [base, [50_000, 5_000, 500]])));
    const { complete, sampled } = plan(bases.join(' '), counts);
    expect(complete).toHaveLength(0);
    expect(sampled.length).toBeLessThanOrEqual(11);
  });
});

describe('chooseTerms', () => {
  it('drops ubiquitous words beside rare ones, and unknown words', () => {
    const counts = countsOf({ the: [990_000, 0, 0], gin: [10, 0, 0] });
    const terms = chooseTerms(readQuery('the gin of the nowhere'), counts, CHUNKS);
    expect(terms.map(({ word }) => word)).toEqual(['gin']);
  });

  it('returns common words when there are no others', () => {
    const counts = countsOf({ the: [600_000, 0, 0] });
    expect(chooseTerms(readQuery('the'), counts, CHUNKS)).toHaveLength(1);
  });

  it('selects the longest words of a long message', () => {
    const words = Array.from({ length: 500 }, (_, index) => `a${'b'.repeat(index % 50)}`);
    const read = readQuery(words.join(' '));
    expect(read.length).toBeLessThanOrEqual(64);
    expect(read[0]!.word).toBe(`a${'b'.repeat(49)}`);
  });
});

import { describe, expect, it } from '@jest/globals';
import { fuseRanks } from './fuse-ranks.ts';

const IDS = ['a', 'b', 'c', 'd'];

describe('fuseRanks', () => {
  it('scales incomparable scores to 0 to 1', () => {
    const fused = fuseRanks(IDS, [
      new Map([
        ['a', 900],
        ['b', 3],
        ['c', 2],
      ]),
      new Map([
        ['a', 0.9],
        ['c', 0.8],
        ['b', 0.7],
      ]),
    ]);
    expect(fused.get('a')).toBe(1);
    expect(fused.get('b')).toBeCloseTo((1 / 62 + 1 / 63) / (2 / 61), 10);
    expect(fused.get('c')).toBeCloseTo(fused.get('b')!, 10);
    expect(fused.get('d')).toBe(0);
  });

  it('returns equal relevance for equal scores, in any order of the ids', () => {
    const ranking = new Map([
      ['a', 1],
      ['b', 2],
      ['c', 2],
    ]);
    const fused = fuseRanks(['a', 'b', 'c'], [ranking]);
    expect([...fused]).toEqual([
      ['a', 0],
      ['b', 1],
      ['c', 1],
    ]);
    expect(Object.fromEntries(fuseRanks(['c', 'b', 'a'], [ranking]))).toEqual(
      Object.fromEntries(fused),
    );
  });

  it.each([
    ['without rankings', []],
    ['when nothing matches', [new Map<string, number>()]],
    ['when all scores are equal', [new Map(IDS.map((id) => [id, 0.5]))]],
    ['when a score is NaN', [new Map([['a', Number.NaN]])]],
    ['when only unknown ids match', [new Map([['x', 1]])]],
  ])('returns 0 for all %s', (_name, rankings) => {
    expect([...fuseRanks(IDS, rankings).values()]).toEqual([0, 0, 0, 0]);
    expect([...fuseRanks([], rankings)]).toEqual([]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { fuseRankings } from './fuse-rankings.ts';

describe('fuseRankings', () => {
  it('adds the reciprocal ranks, scaled to 1 for an id that is first in all', () => {
    const scores = fuseRankings([
      ['a', 'b'],
      ['a', 'c'],
    ]);
    expect(scores.get('a')).toBeCloseTo(1);
    expect(scores.get('b')).toBeCloseTo(61 / 62 / 2);
    expect(scores.get('b')).toBe(scores.get('c'));
  });

  it('ranks an id that is in both rankings above the first of one', () => {
    const scores = fuseRankings([
      ['a', 'x', 'both'],
      ['b', 'y', 'both'],
    ]);
    expect([...scores].toSorted(([, a], [, b]) => b - a)[0]![0]).toBe('both');
  });

  it('has half of the score for the first id if the other ranking is empty', () => {
    expect(fuseRankings([['a'], []]).get('a')).toBeCloseTo(0.5);
  });
});

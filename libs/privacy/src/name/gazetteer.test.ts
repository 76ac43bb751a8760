import { describe, expect, it } from '@jest/globals';
import { buildGazetteer, hashPair, lookUp } from './gazetteer.ts';

describe('buildGazetteer', () => {
  it('finds all its words and few other words', () => {
    const words = new Map(
      Array.from({ length: 800 }, (_, index) => [index * 2_654_435, 1 + (index % 7)]),
    );
    const table = buildGazetteer(words, 1024);
    for (const [hash, bits] of words) expect(lookUp(table, hash) & bits).toBe(bits);
    const unlisted = Array.from({ length: 1000 }, (_, index) => lookUp(table, 77 + index * 40_503));
    expect(unlisted.filter((bits) => bits !== 0).length).toBeLessThan(100);
  });

  it('rejects more words than slots', () => {
    expect(() =>
      buildGazetteer(
        new Map([
          [1, 1],
          [2, 1],
        ]),
        2,
      ),
    ).toThrow(RangeError);
  });

  it('distinguishes the order of pairs', () => {
    expect(hashPair(1, 2)).not.toBe(hashPair(2, 1));
  });
});

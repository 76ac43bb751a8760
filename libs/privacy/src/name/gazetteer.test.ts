import { describe, expect, it } from '@jest/globals';
import { buildGazetteer, hashPair, lookUp } from './gazetteer.ts';

describe('buildGazetteer', () => {
  it('finds every word that it was built with, and hardly any other', () => {
    const words = new Map(Array.from({ length: 800 }, (_, at) => [at * 2_654_435, 1 + (at % 7)]));
    const table = buildGazetteer(words, 1024);
    for (const [hash, bits] of words) expect(lookUp(table, hash) & bits).toBe(bits);
    const strangers = Array.from({ length: 1000 }, (_, at) => lookUp(table, 77 + at * 40_503));
    expect(strangers.filter((bits) => bits !== 0).length).toBeLessThan(100);
  });

  it('refuses more words than slots', () => {
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

  it('has an order in pairs', () => {
    expect(hashPair(1, 2)).not.toBe(hashPair(2, 1));
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateTokens, learnRatio } from './estimate-tokens.ts';

const anyText = fc.string({ unit: 'binary' });

describe('estimateTokens', () => {
  it.each([
    ['nothing', '', 0],
    ['one letter', 'a', 1],
    ['four letters', 'abcd', 1],
    ['five letters', 'abcde', 2],
    ['thirteen ideographs', '漢'.repeat(13), 10],
    ['kana, Hangul and full-width punctuation', 'かカ한。！', 4],
    ['Cyrillic', 'привет мир', 4],
    ['an emoji', '😀', 1],
    ['a mixture', `${'a'.repeat(8)}${'漢'.repeat(13)}${'é'.repeat(5)}`, 14],
  ])('counts %s', (_name, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });

  it('is subadditive and monotonic', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        const tokens = estimateTokens(one + other);
        expect(tokens).toBeLessThanOrEqual(estimateTokens(one) + estimateTokens(other));
        expect(tokens).toBeGreaterThanOrEqual(estimateTokens(one));
      }),
      { numRuns: 300 },
    );
  });
});

describe('learnRatio', () => {
  it('adopts the first ratio and then moves by a fifth of the difference with each call', () => {
    const first = learnRatio(undefined, { estimated: 1_000, actual: 1_200 });
    expect(first).toBeCloseTo(1.2);
    expect(learnRatio(first, { estimated: 1_000, actual: 1_000 })).toBeCloseTo(1.16);
  });

  it('converges to the ratio of a constant model', () => {
    let ratio: number | undefined;
    for (let call = 0; call < 40; call += 1) {
      ratio = learnRatio(call === 0 ? 0.7 : ratio, { estimated: 1_000, actual: 1_300 });
    }
    expect(ratio).toBeCloseTo(1.3, 3);
  });

  it.each([
    ['a short prompt', { estimated: 63, actual: 630 }],
    ['a count of 0', { estimated: 1_000, actual: 0 }],
    ['NaN', { estimated: 1_000, actual: Number.NaN }],
  ])('does not change the ratio after %s', (_name, call) => {
    expect(learnRatio(1.1, call)).toBe(1.1);
    expect(learnRatio(undefined, call)).toBe(1);
  });

  it('stays within its bounds for any input', () => {
    const counts = fc.record({ estimated: fc.double(), actual: fc.double() });
    const previous = fc.option(fc.double({ min: 0, max: 10, noNaN: true }), { nil: undefined });
    fc.assert(
      fc.property(previous, counts, (ratio, call) => {
        const learnedRatio = learnRatio(ratio, call);
        expect(learnedRatio >= 0.7 && learnedRatio <= 1.6).toBe(true);
      }),
    );
  });
});

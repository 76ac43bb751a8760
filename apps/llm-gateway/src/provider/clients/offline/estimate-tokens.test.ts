import { describe, expect, it } from '@jest/globals';
import { cutToTokens, estimateTokens } from './estimate-tokens.ts';

describe('estimateTokens', () => {
  it.each([
    ['nothing', '', 0],
    ['one letter', 'a', 1],
    ['four letters', 'abcd', 1],
    ['five letters', 'abcde', 2],
    ['Greek, 2.5 a token', 'αβγδε', 2],
    ['Chinese, 1.3 a token', '保证期为两年', 5],
    ['emoji count by code point', '🙂🙂🙂🙂🙂', 2],
  ])('counts %s', (_name, text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe('cutToTokens', () => {
  it('returns the longest prefix within the limit and never half a character', () => {
    const text = 'Ein Maß für 四つの言葉 🙂🙂 and more.';
    for (let limit = 0; limit <= estimateTokens(text); limit += 1) {
      const head = cutToTokens(text, limit);
      const longer = Array.from(text)
        .slice(0, Array.from(head).length + 1)
        .join('');
      expect(text.startsWith(head)).toBe(true);
      expect(estimateTokens(head)).toBeLessThanOrEqual(limit);
      expect(head.isWellFormed()).toBe(true);
      expect(longer === head || estimateTokens(longer) > limit).toBe(true);
    }
  });

  it('leaves a text within the limit unchanged', () => {
    expect(cutToTokens('abcd', 1)).toBe('abcd');
    expect(cutToTokens('abcd', Number.POSITIVE_INFINITY)).toBe('abcd');
  });
});

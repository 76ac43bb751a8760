import { describe, expect, it } from '@jest/globals';
import { capTexts, EXTRACTED_LENGTH_MAX } from './cap-texts.ts';

describe('capTexts', () => {
  it.each<[string, string[], number, string[]]>([
    ['all that fit', ['one', 'two'], 6, ['one', 'two']],
    ['the newest when not all fit, and of the next the beginning', ['one', 'two'], 4, ['o', 'two']],
    ['nothing of those for which no room is left', ['one', 'two'], 3, ['two']],
    ['no blank ones', ['', ' \n', 'one'], 9, ['one']],
    ['no half of a pair', ['a😀'], 2, ['a\ufffd']],
    ['nothing of nothing', [], 9, []],
  ])('keeps %s', (_name, texts, max, capped) => {
    expect(capTexts(texts, max)).toEqual(capped);
  });

  it('has room for the longest message', () => {
    const longest = 'x'.repeat(EXTRACTED_LENGTH_MAX);
    expect(capTexts(['earlier', longest])).toEqual([longest]);
  });
});

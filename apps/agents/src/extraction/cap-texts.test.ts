import { describe, expect, it } from '@jest/globals';
import { capTexts, EXTRACTED_LENGTH_MAX } from './to-extraction-request.ts';

describe('capTexts', () => {
  it.each<[string, string[], number, string[]]>([
    ['all texts that fit', ['one', 'two'], 6, ['one', 'two']],
    ['the newest texts and the beginning of the next', ['one', 'two'], 4, ['o', 'two']],
    ['only texts within the limit', ['one', 'two'], 3, ['two']],
    ['no blank texts', ['', ' \n', 'one'], 9, ['one']],
    ['no half of a surrogate pair', ['a😀'], 2, ['a\ufffd']],
    ['nothing of an empty list', [], 9, []],
  ])('returns %s', (_name, texts, max, capped) => {
    expect(capTexts(texts, max)).toEqual(capped);
  });

  it('returns the longest message whole', () => {
    const longestText = 'x'.repeat(EXTRACTED_LENGTH_MAX);
    expect(capTexts(['earlier', longestText])).toEqual([longestText]);
  });
});

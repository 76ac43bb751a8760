import { describe, expect, it } from '@jest/globals';
import { splitSentences } from './split-sentences.ts';
import { splitTerms } from './split-terms.ts';

describe('splitSentences', () => {
  it.each([
    ['English', 'One is 3.5. Is two? Yes!', ['One is 3.5.', 'Is two?', 'Yes!']],
    ['titles', 'Ask Dr. Smith. Then go.', ['Ask Dr. Smith.', 'Then go.']],
    ['Japanese', '保証は二年です。送料は五百円。', ['保証は二年です。', '送料は五百円。']],
    ['lines and lists', '# Plan\n- hire\n2. raise', ['Plan', 'hire', 'raise']],
    ['fences', '--- MEMORIES (data) ---\n[CITY] (high priority)\nRome.\n```', ['Rome.']],
    ['pretty JSON', '{\n  "runway": 12,\n}', ['runway: 12']],
    ['a text without words', ' \n…\n***', []],
  ])('splits %s', (_name, text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it('splits a long line of initials in linear time', () => {
    const before = process.threadCpuUsage();
    splitSentences('A. '.repeat(60_000));
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });
});

describe('splitTerms', () => {
  it('reduces word forms to one term and drops function words', () => {
    expect(splitTerms('The returns, returned: a RETURN')).toEqual(['return', 'return', 'return']);
  });

  it('splits identifiers', () => {
    expect(splitTerms('get_stockPrice')).toEqual(['get', 'stock', 'price']);
  });

  it('pairs the letters of scripts without spaces', () => {
    expect(splitTerms('保証期間 2年')).toEqual(['保証', '証期', '期間', '2', '年']);
  });
});

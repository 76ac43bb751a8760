import { describe, expect, it } from '@jest/globals';
import { createCharTable } from './char-table.ts';
import { createTokens, EDGE_TOKENS, FORM, GAP, hashWord, tokenize } from './tokenize.ts';

const table = createCharTable();

const words = (text: string): string[] => {
  const { start, end, count } = tokenize(text, [], table);
  return Array.from({ length: count - EDGE_TOKENS }, (_, index) =>
    text.slice(start[index + EDGE_TOKENS], end[index + EDGE_TOKENS]),
  );
};

describe('tokenize', () => {
  it('splits words, numbers and punctuation marks', () => {
    expect(words('Dr. O’Neil-Smith, 12b Rue_1')).toEqual([
      'Dr',
      '.',
      'O',
      '’',
      'Neil',
      '-',
      'Smith',
      ',',
      '12b',
      'Rue',
      '_',
      '1',
    ]);
    expect(words('')).toEqual([]);
    expect(words(' \n\t')).toEqual([]);
  });

  it('does not split surrogate pairs, combining marks and invisible marks', () => {
    expect(words('Zoe\u0308 Müller')).toEqual(['Zoe\u0308', 'Müller']);
    expect(words('😀😀 Ann')).toEqual(['😀😀', 'Ann']);
    expect(words('Aman\u200bda \u202eBob\u202c')).toEqual(['Aman\u200bda', '\u202eBob\u202c']);
    expect(words('\ud800')).toEqual(['\ud800']);
  });

  it('ignores case, accents and invisible marks in the hash of a word', () => {
    for (const spelling of ['José', 'jose', 'JOSE\u0301', 'jo\u200bse']) {
      expect(tokenize(spelling, [], table).word[EDGE_TOKENS]).toBe(hashWord('jose', table));
    }
    expect(hashWord('josé', table)).not.toBe(hashWord('josy', table));
  });

  it('returns form and gap of each token', () => {
    const { form, gap } = tokenize('Ann ANN  ann\nAnnLee 77 a7 安', [], table);
    expect([...form.subarray(EDGE_TOKENS, EDGE_TOKENS + 7)]).toEqual([
      FORM.capital,
      FORM.upper,
      FORM.lower,
      FORM.mixed,
      FORM.digits,
      FORM.alphanumeric,
      FORM.uncased,
    ]);
    expect([...gap.subarray(EDGE_TOKENS, EDGE_TOKENS + 4)]).toEqual([
      GAP.line,
      GAP.space,
      GAP.wide,
      GAP.line,
    ]);
  });

  it('makes one token of a taken span, also within a word', () => {
    const text = 'mail=ann@x.io;Ann';
    const takenSpans = [{ start: 5, end: 13, category: 'EMAIL' as const }];
    const { start, end, form } = tokenize(text, takenSpans, table);
    expect([start[EDGE_TOKENS + 2], end[EDGE_TOKENS + 2], form[EDGE_TOKENS + 2]]).toEqual([
      5,
      13,
      FORM.taken,
    ]);
    expect(text.slice(start[EDGE_TOKENS + 4], end[EDGE_TOKENS + 4])).toBe('Ann');
  });

  it('returns the same tokens in reused columns', () => {
    const columns = createTokens(100);
    tokenize('A long text before, with 12 marks: a, b, c', [], table, columns);
    const again = tokenize('Ann Lee', [], table, columns);
    const fresh = tokenize('Ann Lee', [], table);
    const until = again.count + EDGE_TOKENS;
    for (const column of ['word', 'form', 'shape', 'gap'] as const)
      expect([...again[column].subarray(0, until)]).toEqual([...fresh[column].subarray(0, until)]);
  });
});

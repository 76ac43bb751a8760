import { describe, expect, it } from '@jest/globals';
import { indexChunk } from './index-chunk.ts';

describe('indexChunk', () => {
  it('has bases, marks of repeated ones, and long words as they are', () => {
    const { lexemes, wordCount } = indexChunk('Oil, oil and oil: interoperability of oils', []);
    expect(lexemes.toSorted()).toEqual(
      ['and', 'inter*', 'interoperability', 'of', 'oil', 'oil^3', 'oils'].toSorted(),
    );
    expect(wordCount).toBe(7);
  });

  it('has the words of the title, which are not counted as its own', () => {
    const { lexemes, wordCount } = indexChunk('five days', ['leave', 'policy']);
    expect(lexemes).toEqual(expect.arrayContaining(['leave*', 'polic*', 'five', 'days']));
    expect(wordCount).toBe(2);
  });

  it('has no lexeme twice, and none that a query of the index would have to escape', () => {
    const { lexemes } = indexChunk(
      `O'Brien's "50%" \\ a:b & c|d (e) ^f* g.h <-> 東京 ${'x '.repeat(9)}`,
      [],
    );
    expect(new Set(lexemes).size).toBe(lexemes.length);
    for (const lexeme of lexemes) expect(lexeme).toMatch(/^[\p{L}\p{N}\p{M}]+\*?(\^\d)?$/u);
  });
});

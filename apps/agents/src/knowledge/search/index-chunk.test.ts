import { describe, expect, it } from '@jest/globals';
import { indexChunk } from './index-chunk.ts';

describe('indexChunk', () => {
  it('returns bases, tier marks of repeated bases, and long words', () => {
    const { lexemes, wordCount } = indexChunk('Oil, oil and oil: interoperability of oils', []);
    expect(lexemes.toSorted()).toEqual(
      ['and', 'inter*', 'interoperability', 'of', 'oil', 'oil^3', 'oils'].toSorted(),
    );
    expect(wordCount).toBe(7);
  });

  it('indexes words of the title without adding them to the word count', () => {
    const { lexemes, wordCount } = indexChunk('five days', ['leave', 'policy']);
    expect(lexemes).toEqual(expect.arrayContaining(['leave*', 'polic*', 'five', 'days']));
    expect(wordCount).toBe(2);
  });

  it('returns distinct lexemes that need no escaping in a query', () => {
    const { lexemes } = indexChunk(
      `O'Brien's "50%" \\ a:b & c|d (e) ^f* g.h <-> 東京 ${'x '.repeat(9)}`,
      [],
    );
    expect(new Set(lexemes).size).toBe(lexemes.length);
    for (const lexeme of lexemes) expect(lexeme).toMatch(/^[\p{L}\p{N}\p{M}]+\*?(\^\d)?$/u);
  });
});

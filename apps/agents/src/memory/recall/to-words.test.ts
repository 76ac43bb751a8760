import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toWords } from './to-words.ts';

const sorted = (text: string): number[] => [...toWords(text)].toSorted((one, other) => one - other);

describe('toWords', () => {
  it.each([
    ['case', 'The Red HOUSE', 'the red house'],
    ['order and repetition', 'one two one', 'two one'],
    ['separators', 'one_two, three!', ' one two (three'],
    ['compatibility forms', 'ﬁle ＡＢＣ', 'file abc'],
    ['composition of accents', 'caf\u0065\u0301', 'caf\u00e9'],
  ])('ignores %s', (_name, one, other) => {
    expect(sorted(one)).toEqual(sorted(other));
  });

  it.each([
    ['two words and one', 'red house', 'redhouse'],
    ['two words', 'red', 'rad'],
    ['digits', 'v1', 'v2'],
    ['scripts', 'да', 'нет'],
  ])('distinguishes %s', (_name, one, other) => {
    expect(sorted(one)).not.toEqual(sorted(other));
  });

  it.each(['', ' ', '?! …'])('returns no words for "%s"', (text) => {
    expect(toWords(text)).toEqual([]);
  });

  it('does not depend on another script in the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const wordsBoth = sorted(`${text} это`);
        expect(wordsBoth).toEqual(expect.arrayContaining(sorted(text)));
        expect(wordsBoth).toHaveLength(new Set([...sorted(text), ...sorted('это')]).size);
      }),
    );
  });
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { toWords } from './to-words.ts';

const sorted = (text: string): number[] => [...toWords(text)].toSorted((one, other) => one - other);

describe('the words of a text', () => {
  it.each([
    ['case', 'The Red HOUSE', 'the red house'],
    ['order and repetition', 'one two one', 'two one'],
    ['what stands between', 'one_two, three!', ' one two (three'],
    ['compatibility forms', 'ﬁle ＡＢＣ', 'file abc'],
    ['how marks are written', 'caf\u0065\u0301', 'caf\u00e9'],
  ])('do not tell %s', (_name, one, other) => {
    expect(sorted(one)).toEqual(sorted(other));
  });

  it.each([
    ['two words and one', 'red house', 'redhouse'],
    ['two words', 'red', 'rad'],
    ['digits', 'v1', 'v2'],
    ['scripts', 'да', 'нет'],
  ])('tell %s apart', (_name, one, other) => {
    expect(sorted(one)).not.toEqual(sorted(other));
  });

  it.each(['', ' ', '?! …'])('are none in "%s"', (text) => {
    expect(toWords(text)).toEqual([]);
  });

  it('are the same ones, whatever other script stands beside them', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const among = sorted(`${text} это`);
        expect(among).toEqual(expect.arrayContaining(sorted(text)));
        expect(among).toHaveLength(new Set([...sorted(text), ...sorted('это')]).size);
      }),
    );
  });
});

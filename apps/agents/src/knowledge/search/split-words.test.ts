import { describe, expect, it } from '@jest/globals';
import { baseOf, isLong, splitWords } from './split-words.ts';

describe('splitWords', () => {
  it.each([
    ['case and punctuation', 'The A-4711, again!', ['the', 'a', '4711', 'again']],
    ['accents', 'Café Übergröße Ångström', ['cafe', 'ubergrosse', 'angstrom']],
    ['decomposed accents', 'Cafe\u0301', ['cafe']],
    ['compatibility forms', '\ufb01nal １２', ['final', '12']],
    ['apostrophes', "l'entreprise", ['l', 'entreprise']],
    ['Cyrillic and Greek', 'Договор Σύμβαση', ['договор', 'συμβαση']],
    ['Korean, which has spaces', '계약서 검토', ['계약서', '검토']],
    ['Chinese, which has no spaces', '东京都', ['东京', '京都']],
    ['a single ideograph', '東 x', ['東', 'x']],
    ['vowels of Hindi, which are letters', 'हिन्दी', ['हिन्दी']],
    ['nothing', ' \0\ud83d?! ', []],
  ])('reads %s', (_name, text, words) => {
    expect(splitWords(text)).toEqual(words);
  });

  it('truncates overlong words', () => {
    expect(splitWords('x'.repeat(1_000))).toEqual(['x'.repeat(64)]);
  });
});

describe('baseOf', () => {
  it.each([
    ['vacation', 'vacations'],
    ['contract', 'contracting'],
    ['entreprise', 'entreprises'],
  ])('is equal for %s and %s', (one, other) => {
    expect(baseOf(one)).toBe(baseOf(other));
  });

  it('leaves short words unchanged and distinct from bases of long words', () => {
    expect([baseOf('oil'), baseOf('plans'), isLong('plans')]).toEqual(['oil', 'plans*', false]);
  });
});

import { describe, expect, it } from '@jest/globals';
import { guardedLikenessOf, likenessOf } from './likeness-of.ts';
import { toTextVector } from './to-text-vector.ts';

const like = (one: string, other: string): number =>
  likenessOf(toTextVector(one), toTextVector(other));
const guarded = (one: string, other: string): number =>
  guardedLikenessOf(toTextVector(one), toTextVector(other));

describe('the likeness of two texts', () => {
  it('is 1 for the same text, whatever its case, width and apostrophes', () => {
    expect(like('We don’t sell.', "we DON'T sell. ")).toBe(1);
    expect(like('ｐｌａｎ Ⅳ', 'plan IV')).toBe(1);
  });

  it('takes empty texts for the same, and for like nothing else', () => {
    expect(like('', ' ... ')).toBe(1);
    expect(like('', 'Sell the plant.')).toBe(0);
  });

  it('is the same from either side, to the bit', () => {
    const texts = [
      'Open the second plant in spring, but hire nobody before.',
      'In spring the second plant should be opened.',
      'Hire nobody; the plants are full.',
      '',
    ].map(toTextVector);
    for (const one of texts) {
      for (const other of texts) expect(likenessOf(one, other)).toBe(likenessOf(other, one));
    }
  });

  it('sees through inflection, and weighs rare words more than common ones', () => {
    expect(like('The prices were raised.', 'Raising the price.')).toBeGreaterThan(0.9);
    const rare = like('the tungsten of our country', 'the tungsten of that year');
    const common = like('the tungsten of our country', 'the molybdenum of our country');
    expect(rare).toBeGreaterThan(common);
  });

  it('does not depend on what else is said in the debate', () => {
    const [a, b] = ['Sell the plant.', 'Keep the plant.'].map(toTextVector);
    const alone = likenessOf(a!, b!);
    toTextVector('The plant, the plant, the plant!');
    expect(likenessOf(a!, b!)).toBe(alone);
  });

  it.each([
    ['German', 'Wir sollten das Werk verkaufen.', 'Das Werk sollten wir verkaufen.'],
    ['French', 'Il faut vendre l’usine de Lyon.', 'Il faut que nous vendions l’usine de Lyon.'],
    ['Japanese', '工場を売るべきです', '工場は売るべきだ'],
  ])('knows paraphrases in %s from other sentences', (_language, one, other) => {
    expect(like(one, other)).toBeGreaterThan(0.4);
    expect(like(one, 'The committee meets on Tuesday.')).toBeLessThan(0.05);
  });
});

describe('the guard', () => {
  it('halves the likeness of a sentence and its negation', () => {
    const [one, other] = ['The plant should be sold.', "The plant shouldn't be sold."];
    expect(guarded(one, other)).toBe(like(one, other) / 2);
  });

  it('lets two negations pass, and a double one', () => {
    const pairs = [
      ['Never sell the plant.', 'Do not sell the plant.'],
      ['Nobody says that we cannot sell.', 'They say that we can sell.'],
    ];
    for (const [one, other] of pairs) expect(guarded(one!, other!)).toBe(like(one!, other!));
  });

  it('says nothing of several sentences', () => {
    const one = 'Sell the plant. It is old.';
    const other = 'Sell the plant. It is not new.';
    expect(guarded(one, other)).toBe(like(one, other));
  });
});

import { describe, expect, it } from '@jest/globals';
import { negationAwareSimilarityOf, similarityOf } from './to-text-vector.ts';
import { toTextVector } from './to-text-vector.ts';

const similarity = (one: string, other: string): number =>
  similarityOf(toTextVector(one), toTextVector(other));
const negationAware = (one: string, other: string): number =>
  negationAwareSimilarityOf(toTextVector(one), toTextVector(other));

describe('similarityOf', () => {
  it('is 1 for texts that differ in case, width and apostrophes only', () => {
    expect(similarity('We don’t sell.', "we DON'T sell. ")).toBe(1);
    expect(similarity('ｐｌａｎ Ⅳ', 'plan IV')).toBe(1);
  });

  it('is 1 for two empty texts and 0 for an empty and another text', () => {
    expect(similarity('', ' ... ')).toBe(1);
    expect(similarity('', 'Sell the plant.')).toBe(0);
  });

  it('is symmetric to the last bit', () => {
    const texts = [
      'Open the second plant in spring, but hire nobody before.',
      'In spring the second plant should be opened.',
      'Hire nobody; the plants are full.',
      '',
    ].map(toTextVector);
    for (const text of texts) {
      for (const other of texts) expect(similarityOf(text, other)).toBe(similarityOf(other, text));
    }
  });

  it('ignores inflection and weighs rare words more than common ones', () => {
    expect(similarity('The prices were raised.', 'Raising the price.')).toBeGreaterThan(0.9);
    const rare = similarity('the tungsten of our country', 'the tungsten of that year');
    const common = similarity('the tungsten of our country', 'the molybdenum of our country');
    expect(rare).toBeGreaterThan(common);
  });

  it('does not depend on other texts of the debate', () => {
    const [a, b] = ['Sell the plant.', 'Keep the plant.'].map(toTextVector);
    const similarityAlone = similarityOf(a!, b!);
    toTextVector('The plant, the plant, the plant!');
    expect(similarityOf(a!, b!)).toBe(similarityAlone);
  });

  it.each([
    ['German', 'Wir sollten das Werk verkaufen.', 'Das Werk sollten wir verkaufen.'],
    ['French', 'Il faut vendre l’usine de Lyon.', 'Il faut que nous vendions l’usine de Lyon.'],
    ['Japanese', '工場を売るべきです', '工場は売るべきだ'],
  ])('is higher for paraphrases in %s than for other sentences', (_language, one, other) => {
    expect(similarity(one, other)).toBeGreaterThan(0.4);
    expect(similarity(one, 'The committee meets on Tuesday.')).toBeLessThan(0.05);
  });
});

describe('negationAwareSimilarityOf', () => {
  it('halves the similarity of a sentence and its negation', () => {
    const [one, other] = ['The plant should be sold.', "The plant shouldn't be sold."];
    expect(negationAware(one, other)).toBe(similarity(one, other) / 2);
  });

  it('does not halve it for two negations or a double negation', () => {
    const pairs = [
      ['Never sell the plant.', 'Do not sell the plant.'],
      ['Nobody says that we cannot sell.', 'They say that we can sell.'],
    ];
    for (const [one, other] of pairs)
      expect(negationAware(one!, other!)).toBe(similarity(one!, other!));
  });

  it('does not halve it for several sentences', () => {
    const one = 'Sell the plant. It is old.';
    const other = 'Sell the plant. It is not new.';
    expect(negationAware(one, other)).toBe(similarity(one, other));
  });
});

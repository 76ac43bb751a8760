import { describe, expect, it } from '@jest/globals';
import type { Sentence } from './gather-sentences.ts';
import { rankSentences } from './rank-sentences.ts';

const makeSentence = (text: string, from: Partial<Sentence> = {}): Sentence => ({
  text,
  speaker: 'instructions',
  isFresh: false,
  ...from,
});

const textsOf = (question: string, sentences: Sentence[]): string[] =>
  rankSentences(question, sentences).map(({ sentence }) => sentence.text);

describe('rankSentences', () => {
  it('ranks a rare word of the question above a common one', () => {
    const sentences = [
      makeSentence('The shop opens at nine.'),
      makeSentence('The shop has parking.'),
      makeSentence('Gift vouchers never expire.'),
    ];
    expect(textsOf('Do vouchers of the shop expire?', sentences)[0]).toBe(
      'Gift vouchers never expire.',
    );
  });

  it('scores a sentence without a common word 0', () => {
    const ranked = rankSentences('How tall is it?', [makeSentence('Refunds take a week.')]);
    expect(ranked[0]?.score).toBe(0);
  });

  it('prefers the shorter of two sentences with the same words', () => {
    const long = `Refunds ${'really '.repeat(60)}take a week.`;
    expect(textsOf('refunds?', [makeSentence(long), makeSentence('Refunds take a week.')])[0]).toBe(
      'Refunds take a week.',
    );
  });

  it("counts a tool's fresh result even without a common word", () => {
    const sentences = [
      makeSentence('It was cold.'),
      makeSentence('21 degrees', { speaker: 'tool', isFresh: true }),
    ];
    expect(textsOf('How warm is it?', sentences)[0]).toBe('21 degrees');
  });

  it('keeps the order of the conversation for equal scores', () => {
    expect(
      textsOf('x?', [makeSentence('One.'), makeSentence('Two.'), makeSentence('Three.')]),
    ).toEqual(['One.', 'Two.', 'Three.']);
  });
});

import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../test/answer-of.ts';
import { consensusOf, measureConsensus } from './score-round.ts';

const ISSUES = ['i1', 'i2'].map((id) => ({ id, proposition: id, weight: 1 }));

describe('consensus by Tastle and Wierman', () => {
  it('matches the example of the R package agrmt', () => {
    const counts = [30, 40, 210, 130, 530, 50, 10];
    const values = counts.flatMap((count, index) => Array<number>(count).fill(index + 1));
    expect(consensusOf(values, 6)).toBeCloseTo(0.7256876, 7);
  });

  it('is 1 for equal values and 0 if half of the values are at each end', () => {
    expect(consensusOf([0.5, 0.5, 0.5], 2)).toBe(1);
    expect(consensusOf([-1, 1, -1, 1], 2)).toBe(0);
  });

  it('is the mean over issues with two or more stances', () => {
    const answers = [answerOf('a', [1, 1]), answerOf('b', [-1, 1])];
    expect(measureConsensus(answers, ISSUES)).toBe(0.5);
    expect(measureConsensus([...answers.slice(1), answerOf('a', [-1])], ISSUES)).toBe(1);
    expect(measureConsensus([answerOf('a', [1]), answerOf('b', [])], ISSUES)).toBeUndefined();
  });
});

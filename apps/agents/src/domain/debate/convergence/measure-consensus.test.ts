import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../../test/answer-of.ts';
import { consensusOf, measureConsensus } from './measure-consensus.ts';

const ISSUES = ['i1', 'i2'].map((id) => ({ id, proposition: id, weight: 1 }));

describe('consensus by Tastle and Wierman', () => {
  it('is that of the example in the R package agrmt', () => {
    const counts = [30, 40, 210, 130, 530, 50, 10];
    const values = counts.flatMap((count, at) => Array<number>(count).fill(at + 1));
    expect(consensusOf(values, 6)).toBeCloseTo(0.7256876, 7);
  });

  it('is 1 when all stand alike and 0 when half stand at either end', () => {
    expect(consensusOf([0.5, 0.5, 0.5], 2)).toBe(1);
    expect(consensusOf([-1, 1, -1, 1], 2)).toBe(0);
  });

  it('is the mean over the issues that two or more take a stance on', () => {
    const answers = [answerOf('a', [1, 1]), answerOf('b', [-1, 1])];
    expect(measureConsensus(answers, ISSUES)).toBe(0.5);
    expect(measureConsensus([...answers.slice(1), answerOf('a', [-1])], ISSUES)).toBe(1);
    expect(measureConsensus([answerOf('a', [1]), answerOf('b', [])], ISSUES)).toBeUndefined();
  });
});

import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../test/answer-of.ts';
import type { Answer, Issue } from '../debate.ts';
import { scoreRound } from './score-round.ts';

const findBlocs = (answers: readonly Answer[], issues: readonly Issue[]) =>
  scoreRound({ answers, issues, askedCount: answers.length, conformityFlips: 0 }).report.blocs;

const ISSUES = ['i1', 'i2'].map((id) => ({ id, proposition: id, weight: 1 }));

describe('the blocs of a round', () => {
  it('groups agents that agree, sorted by size, then by id', () => {
    const answers = [
      answerOf('e', [0, 0]),
      answerOf('d', [-1, -1]),
      answerOf('c', [1, 1]),
      answerOf('b', [-1, -1]),
      answerOf('a', [1, 1]),
      answerOf('f', [1, 0.5]),
    ];
    expect(findBlocs(answers, ISSUES)).toEqual([['a', 'c', 'f'], ['b', 'd'], ['e']]);
  });

  it('adds an agent whose agreement with one member is at least .75', () => {
    const chain = [answerOf('a', [1]), answerOf('b', [0.5]), answerOf('c', [0])];
    expect(findBlocs(chain, ISSUES)).toEqual([['a', 'b', 'c']]);
    expect(findBlocs([answerOf('a', [1]), answerOf('b', [0])], ISSUES)).toEqual([['a'], ['b']]);
  });

  it('ignores rounding errors at the threshold of .75', () => {
    const issues = [0.3, 0.1, 0.6].map((weight, index) => ({
      id: `i${index + 1}`,
      proposition: '',
      weight,
    }));
    const answers = [answerOf('a', [1, 1, 1]), answerOf('b', [0.5, 0.5, 0.5])];
    expect(findBlocs(answers, issues)).toEqual([['a', 'b']]);
  });

  it('puts every agent into a bloc, and each one without stances into a bloc of its own', () => {
    const answers = [
      answerOf('a', [1]),
      answerOf('b', [1]),
      answerOf('c', [], { content: 'Yes.' }),
      answerOf('d', [], { content: 'Yes.' }),
    ];
    expect(findBlocs(answers, ISSUES)).toEqual([['a', 'b'], ['c'], ['d']]);
    expect(findBlocs(answers.slice(2), ISSUES)).toEqual([['c'], ['d']]);
    expect(findBlocs([], ISSUES)).toEqual([]);
  });
});

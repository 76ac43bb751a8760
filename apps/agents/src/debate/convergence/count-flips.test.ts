import { describe, expect, it } from '@jest/globals';
import { answerOf } from '../../../test/answer-of.ts';
import { countFlips } from './stance-agreement.ts';

const before = [answerOf('a', [1, 0.5]), answerOf('b', [-1])];

describe('countFlips', () => {
  it.each([
    ['no stance changed', [answerOf('a', [1, 0.5]), answerOf('b', [-1])], 0],
    ['one stance changed without a reason', [answerOf('a', [0.5, 0.5])], 1],
    ['two stances changed without a reason', [answerOf('a', [0, 0])], 2],
    [
      'a change was declared but not explained',
      [answerOf('a', [-1, 0.5], { changedMind: true })],
      1,
    ],
    ['the reason is blank', [answerOf('a', [-1, 0.5], { changeReason: ' \n' })], 1],
    ['a reason was given', [answerOf('a', [-1, -1], { changeReason: 'The audit.' })], 0],
    [
      'a change was declared but no stance changed',
      [answerOf('a', [1, 0.5], { changedMind: true })],
      0,
    ],
    ['a stance is new', [answerOf('b', [-1, 1])], 0],
    ['a stance was withdrawn', [answerOf('a', [1])], 0],
    ['an agent is new', [answerOf('c', [1])], 0],
  ])('counts correctly if %s', (_case, now, flips) => {
    expect(countFlips(before, now)).toBe(flips);
  });
});

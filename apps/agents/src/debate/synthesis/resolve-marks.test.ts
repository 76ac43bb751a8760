import { describe, expect, it } from '@jest/globals';
import { dividedSource, MINORITY_POINT } from '../../../test/divided-council.ts';
import { dropMarks, findMarks, resolveMarks } from './resolve-marks.ts';

const { issues, rounds } = dividedSource();
const { answers } = rounds[0]!;
const members = answers.map((answer, index) => ({ letter: 'ABCDE'[index]!, answer }));
const resolve = (text: string): string => resolveMarks(text, { members, issues });

describe('resolveMarks', () => {
  it.each([
    ['a member', '[E] dissents.', 'Sceptic dissents.'],
    ['a possessive', "[E]'s view", "Sceptic's view"],
    ['several members', '[A, B and E] spoke.', 'Agent a, Agent b and Sceptic spoke.'],
    ['an issue', 'Against [i1], say some.', 'Against “We should buy the company”, say some.'],
    [
      'an issue at the end of a sentence',
      'It opposes [i2].',
      'It opposes “It is worth 5 million”.',
    ],
    ['a point after a colon', '[E] objects: [E1]', `Sceptic objects: “${MINORITY_POINT}”`],
    ['a point at the end of a sentence', 'It objects: [E1].', `It objects: “${MINORITY_POINT}”`],
    ['a point as a source', 'Bills are unpaid [E1].', `Bills are unpaid (“${MINORITY_POINT}”).`],
    [
      'a repeated point only once',
      '[E2]: yes [E2].',
      '(“The seller refused a second audit.”): yes.',
    ],
    [
      'nothing for other text in brackets',
      'He said [sic] and [the plan].',
      'He said [sic] and [the plan].',
    ],
    ['nothing for unknown marks', '[Z] and [E9]', '[Z] and [E9]'],
  ])('resolves %s', (_name, text, resolved) => {
    expect(resolve(text)).toBe(resolved);
  });

  it('does not resolve marks in inserted text', () => {
    const [first, ...rest] = members;
    const named = { ...first!, answer: { ...first!.answer, agentName: '[E]' } };
    expect(resolveMarks('[A] speaks.', { members: [named, ...rest], issues })).toBe('[E] speaks.');
  });
});

describe('findMarks', () => {
  it('finds each mark once, in order', () => {
    expect(findMarks('[B] and [A, i1], then [B1]: [B]. [sic] [ok]')).toEqual([
      'B',
      'A',
      'i1',
      'B1',
    ]);
  });
});

describe('dropMarks', () => {
  it('removes marks, but not other text in brackets', () => {
    expect(dropMarks('x [A1] y [2020]').replaceAll(/\s+/g, ' ')).toBe('x y [2020]');
  });
});

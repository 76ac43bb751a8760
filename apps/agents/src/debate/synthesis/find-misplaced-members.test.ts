import { describe, expect, it } from '@jest/globals';
import { answerOf, makeIssue } from '../../../test/divided-council.ts';
import { findMisplacedMembers } from './find-misplaced-members.ts';
import { tallyVotes } from './tally-votes.ts';

const issues = [
  makeIssue('i1', 'We buy it.'),
  makeIssue('i2', 'It is worth it.'),
  makeIssue('i3', 'X'),
];
const stancesByMember = {
  A: [1, 1, 1],
  B: [0.5, 1, 1],
  C: [1, 0.5, -1],
  D: [1, 1, -1],
  E: [-1, 1],
} as const;
const members = Object.entries(stancesByMember).map(([letter, stances]) => ({
  letter,
  answer: answerOf(
    letter,
    Object.fromEntries(stances.map((stance, index) => [`i${index + 1}`, [stance, 0.9] as const])),
  ),
}));
const targets = { members, issues };
const tally = tallyVotes(
  members.map(({ answer }) => answer),
  issues,
);
const find = (prose: string): string[] => findMisplacedMembers(prose, { targets, tally });

describe('findMisplacedMembers', () => {
  it.each<[string, string[]]>([
    ['[A] dissents.', ['A']],
    ['[E], [A] and [B] dissent, as is told below.', ['A', 'B']],
    ['[A, B] dissent on [i1].', ['A', 'B']],
    ['Dissent: [A], [E].', ['A']],
    ['The dissenters are [B] and [E].', ['B']],
    ['Dissent comes from [C].', ['C']],
    ['[A] clearly opposes [i1].', ['A']],
    ['[E] supports [i1].', ['E']],
    ['On [i1], [A] is against it.', ['A']],
    ['The council supports [i1], with [A] and [E] for it, [B] against it.', ['B', 'E']],
    ['[i1] is opposed by [A].', ['A']],
    ['Against [i1]: [E], [D].', ['D']],
    ['[E] is for [i3].', ['E']],
    ['[C] dissents on [i3].', ['C']],
    ['[A] ist gegen [i1].', ['A']],
    ['[A] est contre [i1].', ['A']],
    ['Four support [i1] and [A] rejects it.', ['A']],
  ])('finds misplaced members in %j', (prose, letters) => {
    expect(find(prose)).toEqual(letters);
  });

  it.each([
    '[E] dissents on [i1]: [E1]',
    'Dissent: [E].',
    '[A], [B], [C] and [D] support [i1]; [E] opposes it.',
    'The council supports [i1], with [A], [B], [C] and [D] for it, [E] against it.',
    'Against [i1]: [E]. For [i1]: [A], [B].',
    'Neither [A] nor [B] dissents.',
    '[A] does not oppose [i1].',
    '[A] would oppose [i1] at a higher price.',
    '[A], for example, points at [A1].',
    '[A] argues against haste.',
    'On [i3] the council is split: [A] and [B] are for it, [C] and [D] against it.',
    '[C] opposes [i3], while [A] supports it.',
    'If [A] opposed [i1], there would be a majority all the same.',
    'On [i1], [A] opposes haste.',
    '[E] supports growth but opposes [i1].',
    '[E] is for haste, and against [i1].',
    '[Z] dissents.',
  ])('accepts %j', (prose) => {
    expect(find(prose)).toEqual([]);
  });
});

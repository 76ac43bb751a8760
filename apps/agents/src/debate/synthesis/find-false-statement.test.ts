import { describe, expect, it } from '@jest/globals';
import { makeIssue } from '../../../test/divided-council.ts';
import { findFalseStatement } from './find-false-statement.ts';

const ISSUES = [
  makeIssue('i1', 'We should open a second shop.'),
  makeIssue('i2', 'We should hire two sales people.'),
  makeIssue('i3', 'We should borrow the money.'),
];
const VERDICTS = (['support', 'oppose', 'split'] as const).map((verdict, index) => ({
  ...{ issueId: `i${index + 1}`, proposition: ISSUES[index]!.proposition },
  ...{ verdict, support: 0 },
}));
const find = (prose: string) => findFalseStatement(prose, { issues: ISSUES, verdicts: VERDICTS });

describe('findFalseStatement', () => {
  it.each([
    'The council rejects [i1].',
    'The council supports [i2].',
    'The council decided not to do [i1].',
    'The council supports [i1] and [i2].',
    'The council supports [i1], but opposes [i3].',
    'Everybody is split on [i1].',
    '[i2] was adopted.',
    '[i3] is rejected for want of money.',
    'So the company should do [i3].',
    'A majority is against [i1].',
    'Der Rat lehnt [i1] ab.',
    'Die Mehrheit unterstützt [i2].',
    'El consejo rechaza [i1].',
    'La mayoría apoya [i2].',
    'Le conseil est divisé sur [i1].',
    'La majorité approuve [i2].',
  ])('finds a side that the verdicts do not have: %s', (sentence) => {
    expect(find(`Cash carried it, says [A]. ${sentence}`)).toBe(sentence);
  });

  it.each([
    'The council decided to grow.',
    'The board agreed on it.',
    'We should open a second shop next year.',
    'The second shop will open, for cash is there.',
    'The council has weighed [i1], and two sales people should be hired.',
    'Der Rat hat beschlossen zu wachsen.',
    'El consejo decidió crecer.',
  ])('finds a decision without the mark of its proposition: %s', (sentence) => {
    expect(find(sentence)).toBe(sentence);
  });

  it.each([
    'The council supports [i1] and opposes [i2], but is split on [i3].',
    'The council does not support [i2].',
    '[i2] was rejected, because rents rise: [A1]',
    '[A] opposes [i1], and [B] supports [i2].',
    'Against [i1] speaks the rent: [A1]',
    'Whether the company should do [i3] remains open.',
    'A minority opposes [i1].',
    '[A] would open a second shop, and says so of [i1].',
    'Rents fell, and cash lasts for a year.',
    'Der Rat unterstützt [i1] und lehnt [i2] ab.',
    'El consejo apoya [i1] y rechaza [i2].',
    'Le conseil est partagé sur [i3].',
  ])('accepts %s', (prose) => {
    expect(find(prose)).toBeUndefined();
  });
});

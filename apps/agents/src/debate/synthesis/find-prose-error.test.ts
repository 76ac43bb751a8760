import { describe, expect, it } from '@jest/globals';
import { dividedSource } from '../../../test/divided-council.ts';
import { anonymise } from './render-council.ts';
import { findInventedNumbers, findProseError } from './find-prose-error.ts';
import { renderCouncil } from './render-council.ts';
import { tallyVotes } from './tally-votes.ts';

const source = dividedSource();
const tally = tallyVotes(source.rounds[0]!.answers, source.issues);
const members = anonymise(source.rounds[0]!.answers, source.seed);
const material = renderCouncil(source, { members, tally });
const dissenter = members.find(({ answer }) => answer.agentName === 'Sceptic')!.letter;
const other = members.find(({ answer }) => answer.agentName !== 'Sceptic')!.letter;
const targets = { members, issues: source.issues };
const find = (prose: string) => findProseError(prose, { targets, tally, material })?.problem;

describe('findProseError', () => {
  it('accepts prose that names each proposition, and each dissenter with its proposition', () => {
    const prose =
      `The council supports [i1] and [i2]: [${other}2] [${dissenter}] dissents on [i1]: ` +
      `[${dissenter}1]`;
    expect(find(prose)).toBeUndefined();
  });

  it.each([
    ['form', ''],
    ['votes', `[${dissenter}] dissents on [i2], and 900 are lost of [i1].`],
    ['incomplete', 'It is hard to say.'],
    ['incomplete', 'Should the council adopt it?'],
    ['incomplete', source.issues[0]!.proposition],
    ['votes', source.issues[0]!.proposition.replace('should', 'should not')],
    ['numbers', `[${dissenter}] dissents on [i1], but not on [i2]: 900 are lost.`],
  ])('gives the reason %s', (reason, prose) => {
    expect(findProseError(prose, { targets, tally, material })?.reason).toBe(reason);
  });

  it.each([
    ['is empty', ' ', 'no "content"'],
    ['is too long', `[${dissenter}] ${'x'.repeat(9_000)}`, 'too long'],
    ['names no dissenter', `The council supports [i1], says [${other}].`, `[${dissenter}] on [i1]`],
    ['names a dissenter only by its point', `Of [i1] [${dissenter}1]`, `[${dissenter}] on [i1]`],
    ['names a dissenter on no issue', `On [i1] and [i2]. [${dissenter}] dissents.`, `on [i1]`],
    ['omits an issue', `[${dissenter}] dissents on [i1].`, 'does not name [i2]'],
    ['states another verdict', `The council rejects [i2]. [${dissenter}] is against [i1].`, '"The'],
    ['refers to an unknown point', `[${dissenter}] says [${dissenter}3].`, `[${dissenter}3]`],
    ['refers to an unknown issue', `[${dissenter}] is against [i3].`, '[i3]'],
    ['refers to an unknown member', `[${dissenter}] and [Z] differ.`, '[Z]'],
    ['claims that all agree', `All members agree, and [${dissenter}] too.`, 'All members agree'],
    ['calls a supporter a dissenter', `[${dissenter}] and [${other}] dissent.`, `[${other}] as a`],
    ['contains an invented number', `[${dissenter}] fears a loss of 900 %.`, '900'],
  ])('rejects prose that %s', (_name, prose, named) => {
    expect(find(prose)).toContain(named);
  });

  it('describes all problems at once', () => {
    expect(find('Unanimous: 900 for [i7].')).toMatch(
      /\[i7\].*does not name.*\[i1\].*Unanimous.*900/u,
    );
  });
});

const findInvented = (text: string, known: string): string[] =>
  findInventedNumbers(text, { material: known, countMax: 5 });

describe('findInventedNumbers', () => {
  it.each([
    ['unchanged', 'Costs rise to 1200.', 'it costs 1200'],
    ['grouped', 'Costs rise to 1,200.', 'it costs 1200'],
    ['with other separators', 'Costs rise to 1.200.', "it costs 1'200"],
    ['with a decimal comma', 'Ein Anteil von 3,5.', 'a share of 3.5'],
    ['a share as a percentage', 'Agreement of 62 %.', 'convergence: 0.62 of 1'],
    ['a percentage as a share', 'A share of 0.07.', 'it is 7 %'],
    ['a share with a binary rounding error', 'A share of 29 %.', 'it is 0.29'],
    ['a count of members', 'All but 2 of 5 hold that.', ''],
    ['full-width digits', 'It is １２００.', 'it costs 1200'],
    ['no number', 'Costs rise.', ''],
  ])('accepts a number of the material: %s', (_name, text, known) => {
    expect(findInvented(text, known)).toEqual([]);
  });

  it.each([
    ['another number', 'Revenue grew 900 %.', 'revenue grew 9.1 %', ['900']],
    ['part of a number', 'In 202 days.', 'in 2026', ['202']],
    ['repeated numbers once', '77 and 77, and 88.', '', ['77', '88']],
    ['a count above the limit', '6 members', '', ['6']],
  ])('finds an invented number: %s', (_name, text, known, invented) => {
    expect(findInvented(text, known)).toEqual(invented);
  });
});

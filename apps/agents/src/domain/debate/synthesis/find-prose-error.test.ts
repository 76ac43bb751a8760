import { describe, expect, it } from '@jest/globals';
import { divided } from '../../../../test/divided-council.ts';
import { anonymise } from './anonymise.ts';
import { findProseError } from './find-prose-error.ts';
import { renderCouncil } from './render-council.ts';
import { tallyVotes } from './tally-votes.ts';

const source = divided();
const tally = tallyVotes(source.rounds[0]!.answers, source.issues);
const members = anonymise(source.rounds[0]!.answers, source.seed);
const material = renderCouncil(source, { members, tally });
const dissenter = members.find(({ answer }) => answer.agentName === 'Sceptic')!.letter;
const other = members.find(({ answer }) => answer.agentName !== 'Sceptic')!.letter;
const cast = { members, issues: source.issues };
const find = (prose: string) => findProseError(prose, { cast, tally, material });

describe('findProseFault', () => {
  it('passes what names the dissenter and points at what is there', () => {
    const prose = `The council supports [i1]. [${dissenter}] dissents: [${dissenter}1] [${other}2]`;
    expect(find(prose)).toBeUndefined();
  });

  it.each([
    ['nothing', ' ', 'no "content"'],
    ['too much', `[${dissenter}] ${'x'.repeat(9_000)}`, 'too long'],
    ['nobody of the dissenters', `The council supports [i1], says [${other}].`, `[${dissenter}]`],
    ['a dissenter by a point alone', `Some say: [${dissenter}1]`, `[${dissenter}]`],
    ['a point that is not there', `[${dissenter}] says [${dissenter}3].`, `[${dissenter}3]`],
    ['an issue that is not there', `[${dissenter}] is against [i3].`, '[i3]'],
    ['a member that is not there', `[${dissenter}] and [Z] differ.`, '[Z]'],
    ['that all agree', `All members agree, and [${dissenter}] too.`, 'All members agree'],
    ['a supporter is a dissenter', `[${dissenter}] and [${other}] dissent.`, `[${other}] as a`],
    ['a number of its own', `[${dissenter}] fears a loss of 900 %.`, '900'],
  ])('finds one that says %s', (_name, prose, named) => {
    expect(find(prose)).toContain(named);
  });

  it('names all faults at once', () => {
    expect(find('Unanimous: 900 for [i7].')).toMatch(/\[i7\].*does not name.*Unanimous.*900/u);
  });
});

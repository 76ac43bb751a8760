import { describe, expect, it } from '@jest/globals';
import { dividedSource } from '../../../test/divided-council.ts';
import { anonymise } from './synthesis-source.ts';
import { findProseError } from './find-prose-error.ts';
import { renderCouncil } from './render-council.ts';
import { tallyVotes } from './tally-votes.ts';

const source = dividedSource();
const tally = tallyVotes(source.rounds[0]!.answers, source.issues);
const members = anonymise(source.rounds[0]!.answers, source.seed);
const material = renderCouncil(source, { members, tally });
const dissenter = members.find(({ answer }) => answer.agentName === 'Sceptic')!.letter;
const other = members.find(({ answer }) => answer.agentName !== 'Sceptic')!.letter;
const targets = { members, issues: source.issues };
const find = (prose: string) => findProseError(prose, { targets, tally, material });

describe('findProseError', () => {
  it('accepts prose that names the dissenter and uses existing marks', () => {
    const prose = `The council supports [i1]. [${dissenter}] dissents: [${dissenter}1] [${other}2]`;
    expect(find(prose)).toBeUndefined();
  });

  it.each([
    ['is empty', ' ', 'no "content"'],
    ['is too long', `[${dissenter}] ${'x'.repeat(9_000)}`, 'too long'],
    ['names no dissenter', `The council supports [i1], says [${other}].`, `[${dissenter}]`],
    ['names a dissenter only by its point', `Some say: [${dissenter}1]`, `[${dissenter}]`],
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
    expect(find('Unanimous: 900 for [i7].')).toMatch(/\[i7\].*does not name.*Unanimous.*900/u);
  });
});

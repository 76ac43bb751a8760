import { describe, expect, it } from '@jest/globals';
import { makeIssue } from '../../../test/divided-council.ts';
import { choosePoint } from './choose-point.ts';

const PRICES = makeIssue('i1', 'We should raise prices by a tenth.');
const OFFICE = makeIssue('i2', 'We should open an office in Berlin.');
const issues = [PRICES, OFFICE];
const points = [
  { id: 'a', text: 'Cash lasts for five months.' },
  { id: 'b', text: 'To raise prices now would cost us the three largest customers.' },
  { id: 'c', text: 'An office in Berlin takes a year to open.' },
  { id: 'd', text: 'An office in Berlin is dear.' },
];
const named = [{ id: 'n', text: 'Two salaries shorten the runway.', issueId: 'i2' }];

describe('choosePoint', () => {
  it.each([
    ['the first point about the issue', points, OFFICE, 'c'],
    ['another point for another issue', points, PRICES, 'b'],
    ['the point for which the agent names the issue', [points[1]!, ...named], OFFICE, 'n'],
    ['no point if none is about the issue', points.slice(0, 2), OFFICE, undefined],
    ['no point for which the agent names another issue', named, PRICES, undefined],
  ] as const)('chooses %s', (_name, given, issue, id) => {
    expect(choosePoint(given, { issue, issues })?.id).toBe(id);
  });

  it('chooses the first point in a debate with one issue', () => {
    expect(choosePoint(points, { issue: OFFICE, issues: [OFFICE] })?.id).toBe('a');
  });

  it('chooses no point that is closer to another issue', () => {
    const equalIssue = makeIssue('i3', 'It is better to wait than to open an office in Berlin.');
    const given = [points[0]!, { id: 'x', text: 'Open an office in Berlin? Better wait.' }];
    const context = { issue: OFFICE, issues: [OFFICE, equalIssue] };
    expect(choosePoint(given, context)).toBeUndefined();
  });

  it('prefers the longer of two propositions that a text contains', () => {
    const worthIssue = makeIssue('i3', 'An office in Berlin that we open is worth its cost.');
    const point = { id: 'x', text: 'To open an office in Berlin is not worth the cost.' };
    const issueContext = { issues: [OFFICE, worthIssue] };
    expect(choosePoint([point], { ...issueContext, issue: OFFICE })).toBeUndefined();
    expect(choosePoint([point], { ...issueContext, issue: worthIssue })?.id).toBe('x');
  });

  it('returns undefined without points', () => {
    expect(choosePoint([], { issue: OFFICE, issues })).toBeUndefined();
  });
});

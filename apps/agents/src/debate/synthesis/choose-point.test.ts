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

describe('choosePoint', () => {
  it.each([
    ['the first point about the issue', points, OFFICE, 'c'],
    ['another point for another issue', points, PRICES, 'b'],
    ['the first point if none is about the issue', points.slice(0, 1), OFFICE, 'a'],
  ] as const)('chooses %s', (_name, given, issue, id) => {
    expect(choosePoint(given, { issue, issues })?.id).toBe(id);
  });

  it('chooses the first point if no point is closer to this issue than to another', () => {
    const equalIssue = makeIssue('i3', 'It is better to wait than to open an office in Berlin.');
    const given = [points[0]!, { id: 'x', text: 'Open an office in Berlin? Better wait.' }];
    expect(choosePoint(given, { issue: OFFICE, issues: [OFFICE, equalIssue] })?.id).toBe('a');
  });

  it('skips points about another issue, but not those that share a few words with it', () => {
    const whole = { id: 'w', text: 'We should raise prices by a tenth, as all do.' };
    const unrelatedPoint = { id: 's', text: 'Our prices are low.' };
    expect(choosePoint([whole], { issue: OFFICE, issues })).toBeUndefined();
    expect(choosePoint([whole, unrelatedPoint], { issue: OFFICE, issues })?.id).toBe('s');
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

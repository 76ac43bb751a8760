import { describe, expect, it } from '@jest/globals';
import { samplePattern } from './sample-pattern.ts';

describe('samplePattern', () => {
  it.each([
    '^[A-Z]{3}-\\d{4}$',
    '^(?:red|green)+$',
    '^\\+?[1-9]\\d{1,14}$',
    '^[^@\\s]+@[^@\\s]+\\.[a-z]{2,}$',
    '^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_+-]*)[A-Za-z0-9_+-]@([A-Za-z0-9-]+\\.)+[A-Za-z]{2,}$',
    '^[^a-zA-Z\\d]$',
    '^(?<year>\\d{4})-(?<month>0[1-9]|1[0-2])$',
    '^\\p{Lu}\\p{L}+$',
    '^\\u0041\\x42[\\]\\-x]$',
    '\\bword\\b',
    '^.{2,}$',
    '^$',
    '',
  ])('builds a match of %s', (pattern) => {
    for (const repeats of [0, 1, 4]) {
      expect(samplePattern(pattern, repeats)).toMatch(new RegExp(pattern, 'u'));
    }
  });

  it.each([
    ['an open group', '(a'],
    ['a group that was not opened', 'a)'],
    ['an open class', '[a'],
    ['a quantifier without an atom', '*a'],
    ['a back reference', '(a)\\1'],
    ['a sample that is too long', 'a{99999}{99999}'],
    ['a pattern that is too long', 'a'.repeat(3_000)],
  ])('returns undefined for %s', (_name, pattern) => {
    expect(samplePattern(pattern, 0)).toBeUndefined();
  });

  it('repeats open repetitions as often as requested', () => {
    expect(samplePattern('^[a-z]+$', 5)).toBe('aaaaa');
  });

  it('never runs the expression, so catastrophic backtracking cannot occur', () => {
    expect(samplePattern('^(([a-z])+.)+[A-Z]([a-z])+$', 30)).toBeDefined();
  });
});

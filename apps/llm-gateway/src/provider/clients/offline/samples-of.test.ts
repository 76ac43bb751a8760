import { describe, expect, it } from '@jest/globals';
import { samplesOf } from './samples-of.ts';

describe('samplesOf', () => {
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
    '^.{2,}?$',
    '^((a|b)|c)*d$',
    '^[é-ü]$',
    '^$',
    '',
  ])('returns only texts that match %s', (pattern) => {
    const samples = samplesOf(pattern);
    expect(samples.length).toBeGreaterThan(0);
    for (const sample of samples) expect(sample).toMatch(new RegExp(pattern, 'u'));
  });

  it.each([
    ['an open class', '[a'],
    ['a quantifier without an atom', '*a'],
    ['a back reference', '(a)\\1'],
    ['samples that are too long', 'a{99999}{99999}'],
  ])('returns none for %s', (_name, pattern) => {
    expect(samplesOf(pattern)).toEqual([]);
  });

  it('returns longer and longer texts for an open repetition', () => {
    expect(samplesOf('^[a-z]+$').map(({ length }) => length)).toEqual([
      1, 2, 3, 5, 9, 17, 33, 65, 257, 1_001,
    ]);
  });

  it('never runs the expression, so catastrophic backtracking cannot occur', () => {
    expect(samplesOf('^(([a-z])+.)+[A-Z]([a-z])+$').length).toBeGreaterThan(5);
  });
});

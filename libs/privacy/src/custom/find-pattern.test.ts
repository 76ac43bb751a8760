import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compilePattern } from './compile-pattern.ts';
import type { PatternAutomaton } from './compile-pattern.ts';
import { createPatternFinder } from './find-pattern.ts';
import { PatternError } from './parse-pattern.ts';
import { runSteps } from '../steps.ts';

const matches = (pattern: string, text: string): string[] =>
  runSteps(createPatternFinder(compilePattern(pattern))(text)).map(({ start, end }) =>
    text.slice(start, end),
  );

/**
 * Returns for each character whether a match of the pattern covers it, by trying RegExp on every
 * substring.
 */
function coverage(pattern: string, text: string): boolean[] {
  const wholeMatch = new RegExp(`^(?:${pattern})$`);
  const covered = Array.from({ length: text.length }, () => false);
  for (let start = 0; start < text.length; start += 1)
    for (let end = start + 1; end <= text.length; end += 1)
      if (wholeMatch.test(text.slice(start, end))) covered.fill(true, start, end);
  return covered;
}

function compileSmall(pattern: string): PatternAutomaton | undefined {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (String(error).includes('branches too much')) return undefined;
    throw error;
  }
}

const { pattern: patterns } = fc.letrec<{ pattern: string; atom: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '[\\dc-e]', '\\.'),
    tie('pattern').map((inner) => `(${inner})`),
    tie('pattern').map((inner) => `(?:${inner})`),
  ),
  pattern: fc.oneof(
    { depthSize: 'small' },
    fc
      .array(
        fc
          .tuple(tie('atom'), fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{1,3}', '{2,}'))
          .map((parts) => parts.join('')),
        { minLength: 1, maxLength: 4 },
      )
      .map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('|')),
  ),
}));

describe('createPatternFinder', () => {
  it('covers exactly the characters that RegExp matches', () => {
    let checked = 0;
    fc.assert(
      fc.property(
        patterns,
        fc.string({ unit: fc.constantFrom('a', 'a', 'b', 'c', '1', '.', '\n'), maxLength: 9 }),
        (pattern, text) => {
          fc.pre(pattern.length < 80 && !new RegExp(`^(?:${pattern})$`).test(''));
          const automaton = compileSmall(pattern);
          fc.pre(automaton !== undefined);
          const covered = Array.from({ length: text.length }, () => false);
          for (const { start, end } of runSteps(createPatternFinder(automaton)(text)))
            covered.fill(true, start, end);
          expect(covered).toEqual(coverage(pattern, text));
          checked += 1;
        },
      ),
      { numRuns: 1000 },
    );
    expect(checked).toBe(1000);
  });

  it.each([
    ['PT-\\d{4}', 'PT-12345', ['PT-1234']],
    ['\\bPT-\\d{4}\\b', 'PT-12345 PT-1234', ['PT-1234']],
    ['ab|bc', 'abc', ['abc']],
    ['[\\]\\-a]+', 'x]-a', [']-a']],
    ['[a-]+', 'x-a', ['-a']],
    ['\\u00e9t', 'été', ['ét']],
    ['caf.', 'café\ncaf\n', ['café']],
    ['a{1,3}b', 'aaaab ab b', ['aaab', 'ab']],
    ['(ab?){0,3}c', 'ababac c abc', ['ababac', 'c', 'abc']],
    ['(a?){2,3}b', 'aaaab b', ['aaab', 'b']],
  ])('finds %s in %s', (pattern, text, expected) => {
    expect(matches(pattern, text)).toEqual(expected);
  });

  it.each([
    '^a',
    'a$',
    '(?=a)',
    '(?<n>a)',
    '\\1',
    'a**',
    'a+?',
    '*a',
    '{2}',
    '(a',
    'a)',
    '[a',
    '[b-a]',
    'a{3,2}',
    'a{101}',
    '',
    'a*',
    'a|',
    '\\',
    'a\\bb',
    '\\p{L}',
    '((a{99}){99}){99}',
    'x'.repeat(501),
    '('.repeat(30) + 'a' + ')'.repeat(30),
    '(((((){100}){100}){100}){100}){100}a',
    '(((b{0}){100}){100}){100}a',
    '(((a?){30}){30})b',
  ])('rejects %s', (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(PatternError);
  });
});

it('has a number of transitions that is linear in the bound of a repeat', () => {
  expect(compilePattern('a{1,100}b').transitions).toBeLessThan(250);
});

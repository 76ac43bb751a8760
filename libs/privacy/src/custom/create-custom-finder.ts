import type { Category, Span } from '../span.ts';
import { compilePattern } from './compile-pattern.ts';
import { createPatternFinder } from './find-pattern.ts';
import { createTermFinder } from './find-terms.ts';

/**
 * A term of the workspace, which is masked wherever it occurs as a whole word, in upper or lower
 * case.
 */
export type CustomTerm = { text: string; category: Category };

export type CustomPattern = { pattern: string; category: Category };

export type CustomRules = {
  terms?: readonly CustomTerm[] | undefined;
  patterns?: readonly CustomPattern[] | undefined;
};

/**
 * Returns a function that finds all terms and patterns in a text, in time linear in its length.
 * Throws `PatternError` for an invalid pattern.
 */
export function createCustomFinder({ terms = [], patterns = [] }: CustomRules) {
  const findTerms = createTermFinder(terms.map(({ text }) => text));
  const compiled = patterns.map(({ pattern, category }) => ({
    find: createPatternFinder(compilePattern(pattern)),
    category,
  }));
  return (text: string): Span[] => [
    ...findTerms(text).map(({ start, end, index }) => ({
      start,
      end,
      category: (terms[index] as CustomTerm).category,
    })),
    ...compiled.flatMap(({ find, category }) =>
      find(text).map(({ start, end }) => ({ start, end, category })),
    ),
  ];
}

import type { Category, Span } from '../span.ts';
import { compilePattern } from './compile-pattern.ts';
import { createPatternFinder } from './find-pattern.ts';
import { createTermFinder } from './find-terms.ts';

/** A word of a workspace that is masked wherever it stands as a whole word, whatever its case. */
export type CustomTerm = { text: string; category: Category };

/** What a workspace masks by shape, in the language of `parsePattern`. */
export type CustomPattern = { pattern: string; category: Category };

/** What a workspace adds to detection. */
export type CustomWords = {
  terms?: readonly CustomTerm[] | undefined;
  patterns?: readonly CustomPattern[] | undefined;
};

/** Throws `PatternError`; what it returns runs in time linear in the text. */
export function createCustomFinder({ terms = [], patterns = [] }: CustomWords) {
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

import type { Category, Span } from '../span.ts';
import { STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import { compilePattern } from './compile-pattern.ts';
import { createPatternFinder } from './find-pattern.ts';
import type { TextRange } from './find-pattern.ts';

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
  return function* (text: string): Steps<Span[]> {
    const found = yield* findTerms(text);
    const spans = found.map(({ start, end, index }): Span => {
      const { category } = terms[index] as CustomTerm;
      return { start, end, category };
    });
    for (const { find, category } of compiled) {
      for (const { start, end } of yield* find(text)) spans.push({ start, end, category });
    }
    return spans;
  };
}

type FoundTerm = TextRange & { index: number };

const PREFIX_LENGTH = 3;

/**
 * Returns a function that finds whole-word occurrences of terms, ignoring case, with the index of
 * the term. Its time is at most the text length times the total length of the distinct terms.
 */
function createTermFinder(terms: readonly string[]): (text: string) => Steps<FoundTerm[]> {
  const indexByTerm = new Map<string, number>();
  const lengthsByPrefix = new Map<string, Set<number>>();
  for (const [index, term] of terms.entries()) {
    // The text may encode an accented letter as one code point or as two, so both forms are
    // searched.
    for (const form of [term, term.normalize('NFC'), term.normalize('NFD')]) {
      const folded = lowerCaseUnits(form);
      if (folded.length === 0 || indexByTerm.has(folded)) continue;
      indexByTerm.set(folded, index);
      const prefix = folded.slice(0, PREFIX_LENGTH);
      const lengths = lengthsByPrefix.get(prefix) ?? new Set();
      lengthsByPrefix.set(prefix, lengths.add(folded.length));
    }
  }
  const prefixLengths = new Set([...lengthsByPrefix.keys()].map(({ length }) => length));

  function findAt(text: string, folded: string, start: number): FoundTerm[] {
    const found: FoundTerm[] = [];
    for (const prefixLength of prefixLengths) {
      for (const length of lengthsByPrefix.get(folded.slice(start, start + prefixLength)) ?? []) {
        const index = indexByTerm.get(folded.slice(start, start + length));
        if (index !== undefined && !isInsideWord(text, start + length))
          found.push({ start, end: start + length, index });
      }
    }
    return found;
  }

  return function* (text) {
    if (indexByTerm.size === 0) return [];
    const folded = lowerCaseUnits(text);
    const found: FoundTerm[] = [];
    for (let start = 0; start < text.length; start += 1) {
      if (start % STEP_UNITS === STEP_UNITS - 1) yield;
      if (isInsideWord(text, start)) continue;
      for (const term of findAt(text, folded, start)) found.push(term);
    }
    return found;
  };
}

/**
 * Converts to lower case without moving offsets: a letter whose lower case is longer stays
 * unchanged.
 */
function lowerCaseUnits(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, offset) => {
    const lowerUnit = text.charAt(offset).toLowerCase();
    return lowerUnit.length === 1 ? lowerUnit : text.charAt(offset);
  }).join('');
}

const WORD_UNIT = /[\p{L}\p{M}\p{N}_]/u;

/**
 * Returns true if word characters are on both sides of `offset`. A term that ends in punctuation
 * needs no word boundary.
 */
function isInsideWord(text: string, offset: number): boolean {
  return (
    offset > 0 &&
    offset < text.length &&
    WORD_UNIT.test(text.charAt(offset - 1)) &&
    WORD_UNIT.test(text.charAt(offset))
  );
}

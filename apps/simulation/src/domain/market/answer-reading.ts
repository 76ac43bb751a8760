import type { JsonObject } from '@witan/dialects';
import type { DepthBudget } from './depth-budget.ts';
import { takeNumber } from './take-number.ts';
import { openTextTaker } from './take-text.ts';
import type { TextTaker } from './take-text.ts';

/** Upper bound of confidence, because no web was searched. */
const CONFIDENCE_MAX = 0.5;
/** Confidence of a part without one. */
const CONFIDENCE_DEFAULT = 0.3;

/** Context for reading the parts of one answer. */
export type AnswerReading = {
  query: string;
  budget: DepthBudget;
  /** Figures of later years are invalid. */
  yearMax: number;
  texts: TextTaker;
  /** States what was normalized or removed; duplicates are stated once. */
  note: (assumption: string) => void;
  readonly notes: readonly string[];
};

export const openAnswerReading = (
  asked: Pick<AnswerReading, 'query' | 'budget' | 'yearMax'>,
): AnswerReading => {
  const notes = new Set<string>();
  return {
    ...asked,
    texts: openTextTaker(asked.query),
    note: (assumption) => void notes.add(assumption),
    get notes() {
      return [...notes];
    },
  };
};

/** Returns a confidence of 0 to 1, limited to CONFIDENCE_MAX. */
export const toConfidence = (value: unknown): number => {
  const number = takeNumber(value) ?? CONFIDENCE_DEFAULT;
  return Math.round(Math.min(CONFIDENCE_MAX, Math.max(0, number)) * 100) / 100;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns the objects of a list. */
export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

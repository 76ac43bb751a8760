import type { JsonObject } from '@witan/dialects';
import type { DepthBudget } from './depth-budget.ts';
import { takeNumber } from './take-number.ts';
import { openTextTaker } from './take-text.ts';
import type { TextTaker } from './take-text.ts';

/** No web was searched, so nothing is surer than this (C9). */
const CONFIDENCE_MAX = 0.5;
/** Of a part that the model gave no confidence. */
const CONFIDENCE_DEFAULT = 0.3;

/** What the parts of one answer are read with. */
export type AnswerReading = {
  query: string;
  budget: DepthBudget;
  /** Figures of later years are none of a market that is there. */
  yearMax: number;
  texts: TextTaker;
  /** States what was mended or left out; the same is stated once. */
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

/** Of 0 to 1 as the model has it; never above what can be known without looking. */
export const toConfidence = (value: unknown): number => {
  const number = takeNumber(value) ?? CONFIDENCE_DEFAULT;
  return Math.round(Math.min(CONFIDENCE_MAX, Math.max(0, number)) * 100) / 100;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects of a list. */
export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

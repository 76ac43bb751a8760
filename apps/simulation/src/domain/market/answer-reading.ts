import type { JsonObject } from '@witan/dialects';
import type { DepthBudget } from './depth-budget.ts';
import { takeNumber } from './take-number.ts';
import { openTextTaker } from './take-text.ts';
import type { TextTaker } from './take-text.ts';

/** Low, because no web page was read. */
const CONFIDENCE_MAX = 0.5;
const CONFIDENCE_DEFAULT = 0.3;

export type AnswerReading = {
  query: string;
  budget: DepthBudget;
  yearMax: number;
  texts: TextTaker;
  /** Records a normalization or removal once. */
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

export const toConfidence = (value: unknown): number => {
  const number = takeNumber(value) ?? CONFIDENCE_DEFAULT;
  return Math.round(Math.min(CONFIDENCE_MAX, Math.max(0, number)) * 100) / 100;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

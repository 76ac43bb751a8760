import type { JsonObject } from '@witan/dialects';
import type { DepthBudget } from './depth-budget.ts';
import { parseNumber } from './parse-number.ts';
import { createTextReader } from './create-text-reader.ts';
import type { TextReader } from './create-text-reader.ts';

/**
 * Maximum confidence that is reported, whatever the model states. It is low, because the model read
 * no web page.
 */
const CONFIDENCE_MAX = 0.5;
const CONFIDENCE_DEFAULT = 0.3;

export type ReadingContext = {
  query: string;
  budget: DepthBudget;
  yearMax: number;
  textReader: TextReader;
  /**
   * Adds a sentence about a fixed or removed value to the assumptions, unless it is there already.
   */
  note: (assumption: string) => void;
  readonly notes: readonly string[];
};

export const createReadingContext = (
  options: Pick<ReadingContext, 'query' | 'budget' | 'yearMax'>,
): ReadingContext => {
  const notes = new Set<string>();
  return {
    ...options,
    textReader: createTextReader(options.query),
    note: (assumption) => void notes.add(assumption),
    get notes() {
      return [...notes];
    },
  };
};

export const toConfidence = (value: unknown): number => {
  const number = parseNumber(value) ?? CONFIDENCE_DEFAULT;
  return Math.round(Math.min(CONFIDENCE_MAX, Math.max(0, number)) * 100) / 100;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

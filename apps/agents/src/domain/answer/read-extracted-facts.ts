import { readJsonAnswer } from '@witan/dialects';
import type { JsonError } from '@witan/dialects';

/** A fact as the extractor returned it, valid for storage. */
export type ExtractedFact = {
  category: string;
  key: string;
  value: string;
  /** 0 to 1. */
  confidence: number;
};

/** `droppedCount`: items that were not valid facts of a requested category. */
export type ExtractedFacts = { facts: ExtractedFact[]; droppedCount: number };

/** For facts without a confidence. */
export const DEFAULT_CONFIDENCE = 0.5;
/** Most facts of one answer. */
const MAX_FACTS = 200;
/** In UTF-16 units. */
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/**
 * Reads the extractor's answer. Only facts of `categories` are returned, matched without case and
 * spelled as in the list; absent: any category. For a repeated category and key the last one
 * counts. Invalid items are dropped and counted; an answer without a list is an error.
 */
export const readExtractedFacts = (
  text: string,
  { categories, isCut }: { categories: readonly string[] | undefined; isCut: boolean },
): ExtractedFacts | { fault: JsonError } => {
  const answer = readJsonAnswer(text, { isCut });
  if ('error' in answer) return { fault: answer.error };
  const items = answer.object.facts;
  if (!Array.isArray(items)) return { fault: { kind: 'missing-fields', names: ['facts'] } };
  const spell = createSpelling(categories);
  const facts = new Map<string, ExtractedFact>();
  let droppedCount = Math.max(0, items.length - MAX_FACTS);
  for (const item of items.slice(0, MAX_FACTS) as unknown[]) {
    const fact = toFact(item, spell);
    if (fact) facts.set(JSON.stringify([fact.category, fact.key]), fact);
    else droppedCount += 1;
  }
  return { facts: [...facts.values()], droppedCount };
};

type Spelling = (category: string) => string | undefined;

/** Returns the spelling of a category, or undefined if it was not requested. */
const createSpelling = (categories: readonly string[] | undefined): Spelling => {
  if (!categories) return (category) => category;
  const spellings = new Map(categories.map((category) => [fold(category), category]));
  return (category) => spellings.get(fold(category));
};

const fold = (category: string): string => category.normalize('NFKC').trim().toLowerCase();

const toFact = (item: unknown, spell: Spelling): ExtractedFact | undefined => {
  if (typeof item !== 'object' || item === null) return undefined;
  const { category, key, value, confidence } = item as Record<string, unknown>;
  const fact = {
    category: spell(toName(category)) ?? '',
    key: toName(key),
    value: toText(value),
    confidence: toConfidence(confidence),
  };
  const isFit =
    isWithin(fact.category, MAX_NAME_LENGTH) &&
    isWithin(fact.key, MAX_NAME_LENGTH) &&
    isWithin(fact.value, MAX_VALUE_LENGTH);
  return isFit ? fact : undefined;
};

const isWithin = (text: string, maxLength: number): boolean =>
  text !== '' && text.length <= maxLength;

/** Objects and booleans are not names: their items are dropped. */
const toName = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? toText(value) : '';

/** Removes what PostgreSQL and UTF-8 cannot store: U+0000 and lone surrogates. */
const toText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replaceAll('\0', '').toWellFormed().trim();
};

const toConfidence = (value: unknown): number => {
  const isNumeric = typeof value === 'string' && value.trim() !== '';
  const number = isNumeric ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) return DEFAULT_CONFIDENCE;
  return Math.min(1, Math.max(0, number));
};

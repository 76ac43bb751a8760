import { readJsonAnswer } from '@witan/dialects';
import type { JsonError } from '@witan/dialects';

/** A fact as the extractor gave it (Seed 2.5), fit to be stored. */
export type ExtractedFact = {
  category: string;
  key: string;
  value: string;
  /** 0 to 1. */
  confidence: number;
};

/** The facts of an answer, and how many items of it were none that is wanted. */
export type ExtractedFacts = { facts: ExtractedFact[]; droppedCount: number };

/** Of facts whose extractor gave no confidence. */
export const DEFAULT_CONFIDENCE = 0.5;
/** Most facts that one answer may hold. */
const MAX_FACTS = 200;
/** In UTF-16 units. */
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/**
 * Reads the extractor's answer. Only facts of `categories` are taken, whatever their case, and
 * stored as the list spells them; absent: any category. Of two facts of one category and key the
 * last counts. Items that are no such fact are dropped and counted; an answer that is no list of
 * facts at all is a fault.
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

/** How a category is written; undefined when it is not wanted. */
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

/** Objects and truth values name nothing: an item that has one is none. */
const toName = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? toText(value) : '';

/** A text that a database takes: Postgres has no room for U+0000, UTF-8 none for half a pair. */
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

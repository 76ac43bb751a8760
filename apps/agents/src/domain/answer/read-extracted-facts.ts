import { readJsonAnswer } from '@witan/dialects';
import type { JsonError } from '@witan/dialects';

export type ExtractedFact = {
  category: string;
  key: string;
  value: string;
  confidence: number;
};

export type ExtractedFacts = { facts: ExtractedFact[]; droppedCount: number };

export const DEFAULT_CONFIDENCE = 0.5;
const MAX_FACTS = 200;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/**
 * Parses the extractor's answer. Invalid items are dropped and counted, also those of a category
 * that was not requested; categories match without case and get the requested spelling. Undefined
 * `categories` allow any. The last fact of a category and key wins.
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

const toName = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? toText(value) : '';

/** Removes U+0000 and lone surrogates, which PostgreSQL and UTF-8 reject. */
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

import { readJsonAnswer } from '@witan/dialects';
import type { JsonError } from '@witan/dialects';
import { FACTS_SCHEMA } from './to-extraction-prompt.ts';

export type ExtractedFact = {
  category: string;
  key: string;
  value: string;
  confidence: number;
};

export const DEFAULT_CONFIDENCE = 0.5;
const MAX_FACTS = 200;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 4_000;

/**
 * Parses the model's answer to an extraction. Drops invalid items, items of categories that were
 * not requested, and items beyond the limit. Categories match in any case and get the requested
 * spelling; if `categories` is undefined, any category is allowed. Of several facts with the same
 * category and key, the last one is returned.
 */
export const readExtractedFacts = (
  text: string,
  { categories, isCut }: { categories: readonly string[] | undefined; isCut: boolean },
): { facts: ExtractedFact[] } | { error: JsonError } => {
  const answer = readJsonAnswer(text, { isCut, schema: FACTS_SCHEMA });
  if ('error' in answer) return { error: answer.error };
  const items = answer.object.facts;
  if (!Array.isArray(items)) return { error: { kind: 'missing-fields', names: ['facts'] } };
  const toRequestedCategory = createCategoryLookup(categories);
  const facts = new Map<string, ExtractedFact>();
  for (const item of items.slice(0, MAX_FACTS) as unknown[]) {
    const fact = toFact(item, toRequestedCategory);
    if (fact) facts.set(JSON.stringify([fact.category, fact.key]), fact);
  }
  return { facts: [...facts.values()] };
};

type CategoryLookup = (category: string) => string | undefined;

const createCategoryLookup = (categories: readonly string[] | undefined): CategoryLookup => {
  if (!categories) return (category) => category;
  const spellings = new Map(categories.map((category) => [fold(category), category]));
  return (category) => spellings.get(fold(category));
};

const fold = (category: string): string => category.normalize('NFKC').trim().toLowerCase();

const toFact = (item: unknown, toRequestedCategory: CategoryLookup): ExtractedFact | undefined => {
  if (typeof item !== 'object' || item === null) return undefined;
  const { category, key, value, confidence } = item as Record<string, unknown>;
  const fact = {
    category: toRequestedCategory(toName(category)) ?? '',
    key: toName(key),
    value: toText(value),
    confidence: toConfidence(confidence),
  };
  const isValid =
    hasValidLength(fact.category, MAX_NAME_LENGTH) &&
    hasValidLength(fact.key, MAX_NAME_LENGTH) &&
    hasValidLength(fact.value, MAX_VALUE_LENGTH);
  return isValid ? fact : undefined;
};

const hasValidLength = (text: string, maxLength: number): boolean =>
  text !== '' && text.length <= maxLength;

const toName = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? toText(value) : '';

/**
 * Returns a JSON value as trimmed text without U+0000, which PostgreSQL rejects, and without lone
 * surrogates, which UTF-8 cannot encode.
 */
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

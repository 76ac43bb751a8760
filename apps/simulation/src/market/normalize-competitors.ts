import type { JsonObject } from '@witan/dialects';
import { toConfidence, toObjects, parseNumber } from './reading-context.ts';
import type { ReadingContext } from './reading-context.ts';

const NAME_LENGTH_MAX = 200;
const TRAITS_MAX = 8;
const SHARES_MAX = 100;
const ROUNDING_TOLERANCE = 1e-9;

export const normalizeCompetitors = (parsed: unknown, context: ReadingContext): Competitor[] => {
  const byName = new Map<string, Competitor>();
  for (const item of toObjects(parsed)) {
    const name = context.textReader.read(item['name'], NAME_LENGTH_MAX);
    if (name === null || byName.has(fold(name))) continue;
    if (isDescription(name, context.query)) {
      context.note('A competitor was left out: the question has its words, but names no company.');
      continue;
    }
    byName.set(fold(name), toCompetitor(name, item, context));
  }
  const competitors = dropFractions([...byName.values()].slice(0, context.budget.items), context);
  const shares = competitors.map(({ estimatedSharePct }) => estimatedSharePct ?? 0);
  if (shares.reduce((sum, share) => sum + share, 0) <= SHARES_MAX + ROUNDING_TOLERANCE)
    return competitors;
  context.note('The estimated shares were left out: together they were above 100 percent.');
  return competitors.map((competitor) => ({ ...competitor, estimatedSharePct: null }));
};

/** Shares of one percent or less each are probably fractions, as 0.25 for a quarter. */
const dropFractions = (competitors: Competitor[], { note }: ReadingContext): Competitor[] => {
  const shares = competitors.map(({ estimatedSharePct }) => estimatedSharePct ?? 0);
  if (shares.every((share) => share === 0 || share > 1) || shares.some((share) => share > 1))
    return competitors;
  note('The estimated shares were left out: they look like fractions, not like percent.');
  return competitors.map((competitor) => ({ ...competitor, estimatedSharePct: null }));
};

type Competitor = ReturnType<typeof toCompetitor>;

const toCompetitor = (name: string, item: JsonObject, context: ReadingContext) => {
  const { textReader, query } = context;
  return {
    name,
    description: textReader.read(item['description']),
    positioning: textReader.read(item['positioning']),
    strengths: textReader.readList(item['strengths'], TRAITS_MAX),
    weaknesses: textReader.readList(item['weaknesses'], TRAITS_MAX),
    estimatedSharePct: readShare(item['estimatedSharePct'], context),
    pricing: textReader.read(item['pricing']),
    // Always null, because the model reads no web page and could only invent a URL.
    url: dropUrl(item['url'], context),
    // Derived from the question; what the model itself states as evidence is ignored.
    evidence: isNamed(name, query) ? 'provided' : 'model_knowledge',
    confidence: toConfidence(item['confidence']),
  };
};

const readShare = (parsed: unknown, { note }: ReadingContext): number | null => {
  const share = parseNumber(parsed);
  if (share === undefined) return null;
  if (share >= 0 && share <= SHARES_MAX) return share;
  note('An estimated share was left out: it was none of 0 to 100 percent.');
  return null;
};

const dropUrl = (parsed: unknown, { note }: ReadingContext): null => {
  if (typeof parsed === 'string' && parsed.trim() !== '') {
    note('Addresses of competitors were left out: no page was read that could bear them out.');
  }
  return null;
};

/** Returns true if the query contains the name as whole words: "start" does not contain "Art". */
const isNamed = (name: string, query: string): boolean => {
  const words = ` ${toWords(query)} `;
  return words.includes(` ${toWords(name)} `) && toWords(name) !== '';
};

const COMPARED =
  /(?:with|against|like|versus|vs\.?|mit|gegen|wie|con|contra|como|avec|contre|comme) $/iu;
const LOWER_CASE_WORD = /(?<![\p{L}\p{N}-])\p{Ll}{4,}/u;

/**
 * Returns true for words of the question that are written like common nouns there, such as "small
 * companies in Spain"; after "compete with" they are a name, however they are written.
 */
const isDescription = (name: string, query: string): boolean => {
  const index = fold(query).indexOf(fold(name));
  if (index < 0) return false;
  const written = query.slice(index, index + name.length);
  return LOWER_CASE_WORD.test(written) && !COMPARED.test(query.slice(0, index));
};

const toWords = (text: string): string =>
  fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const fold = (text: string): string => text.normalize('NFKC').toLowerCase();

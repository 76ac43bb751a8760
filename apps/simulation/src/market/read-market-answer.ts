import { isCutOff, readJsonAnswer } from '@witan/dialects';
import type { JsonError, JsonObject } from '@witan/dialects';
import { isObject, createReadingContext, toObjects } from './reading-context.ts';
import { toMarketSchema } from './describe-market-task.ts';
import { BUDGETS } from './market-analysis.ts';
import type { Depth } from './market-analysis.ts';
import { normalizeCompetitors } from './normalize-competitors.ts';
import { isUnknownSize, normalizeMarketSize } from './normalize-market-size.ts';
import { skipReasoning } from './create-section-reader.ts';
import type { ReadingContext } from './reading-context.ts';

type MarketAnswer = {
  query: string;
  depth: Depth;
  model: string;
  finishReason: string;
  readAt: Date;
};

type ReadMarketAnswer = { analysis?: Analysis; error?: JsonError };

const ASSUMPTIONS_MAX = 12;

/**
 * Reads an analysis from a model's answer. Contradictory figures are fixed or removed, which is
 * noted in `assumptions`. The result has an `error` if the answer is unreadable or lacks a part,
 * and an analysis if at least one part has content.
 */
export const readMarketAnswer = (raw: string, answer: MarketAnswer): ReadMarketAnswer => {
  const isCut = isCutOff(answer.finishReason);
  const schema = toMarketSchema(answer.depth);
  const read = readJsonAnswer(removeReasoning(raw), { isCut, schema });
  if ('error' in read) return read;
  const parsed = unwrap(read.object);
  const missing = findMissing(parsed);
  const analysis = missing.length === PARTS.length ? undefined : toAnalysis(parsed, answer);
  if (!analysis || isEmpty(analysis)) {
    return { error: { kind: 'missing-fields', names: [...PARTS] } };
  }
  return {
    analysis,
    ...(missing.length === 0 ? {} : { error: { kind: 'missing-fields', names: missing } }),
  };
};

const isEmpty = ({ marketSize, trends, competitors, recommendations }: Analysis): boolean =>
  isUnknownSize(marketSize) &&
  [trends, competitors, recommendations].every((part) => part.length === 0);

/**
 * Matches a reasoning block without its opening tag, which is missing in answers to prompt
 * templates that end with it.
 */
const UNOPENED_REASONING = /^[^{]*<\/(?:think|thinking|thoughts?|reasoning)>/iu;

const removeReasoning = (raw: string): string => skipReasoning(raw).replace(UNOPENED_REASONING, '');

/**
 * Returns the member `analysis` if it is an object and the outer object has none of the parts,
 * otherwise the outer object.
 */
const unwrap = (object: JsonObject): JsonObject => {
  const nestedAnalysis = object['analysis'];
  return isObject(nestedAnalysis) && findMissing(object).length === PARTS.length
    ? nestedAnalysis
    : object;
};

const PARTS = ['marketSize', 'trends', 'competitors', 'recommendations'] as const;

/**
 * Returns the names of the missing parts. An empty list does not count as missing, because a retry
 * would make the model invent items.
 */
const findMissing = (parsed: JsonObject): string[] =>
  PARTS.filter((part) =>
    part === 'marketSize' ? parsed[part] == null : !Array.isArray(parsed[part]),
  );

export type Analysis = ReturnType<typeof toAnalysis>;

const toAnalysis = (parsed: JsonObject, { query, depth, model, readAt }: MarketAnswer) => {
  const budget = BUDGETS[depth];
  const context = createReadingContext({ query, budget, yearMax: readAt.getUTCFullYear() });
  const { textReader, note } = context;
  const marketSize = normalizeMarketSize(parsed['marketSize'], context);
  const trends = textReader.readList(parsed['trends'], budget.items);
  const competitors = normalizeCompetitors(parsed['competitors'], context);
  const recommendations = normalizeRecommendations(parsed['recommendations'], context);
  const statedAssumptions = textReader
    .readList(parsed['assumptions'], ASSUMPTIONS_MAX)
    .filter((text) => !COPIED_RULE.test(text));
  const namesSources = textReader.readList(parsed['sources'], 1).length > 0;
  if (namesSources || textReader.sources > 0) {
    note('The sources that the model named were left out: none of them was read.');
  }
  if (textReader.links > 0) note('Links in texts were left out: no page was read.');
  return {
    marketSize,
    trends,
    competitors,
    recommendations,
    assumptions: [...statedAssumptions, ...context.notes, NO_SOURCE_NOTE],
    sources: [
      `The model ${model}, from memory: nothing was looked up`,
      ...(competitors.some(({ evidence }) => evidence === 'provided') ? ['The question'] : []),
    ],
    generatedAt: readAt.toISOString(),
    depth,
  };
};

/** A rule of the prompt that weak models repeat. */
const COPIED_RULE =
  /^no (?:web|database|links?|sources?|assumptions?|confidence)(?: \p{L}+){0,2}\.?$/iu;

const NO_SOURCE_NOTE =
  'No web page and no database was searched: figures and names are what a model remembers, so no ' +
  'confidence is above 0.5.';

const WORDS_LENGTH_MAX = 200;
const POINTS_MAX = 8;

const normalizeRecommendations = (
  parsed: unknown,
  { textReader, budget, yearMax }: ReadingContext,
) =>
  toObjects(parsed)
    .flatMap((item) => {
      const title = textReader.read(item['title'], WORDS_LENGTH_MAX);
      if (title === null) return [];
      const recommendation = {
        title,
        rationale: dropPriority(textReader.read(item['rationale'])),
        priority: toPriority(item['priority']),
        effort: textReader.read(item['effort'], WORDS_LENGTH_MAX),
        impact: textReader.read(item['impact'], WORDS_LENGTH_MAX),
        timeframe: dropPast(textReader.read(item['timeframe'], WORDS_LENGTH_MAX), yearMax),
        risks: textReader.readList(item['risks'], POINTS_MAX),
        kpis: textReader.readList(item['kpis'], POINTS_MAX),
      };
      return [recommendation];
    })
    .slice(0, budget.items);

/** "High" is a priority and no reason. */
const dropPriority = (text: string | null): string | null =>
  text !== null && /^(?:high|medium|low)\.?$/iu.test(text) ? null : text;

/** Nothing can be recommended for a year that is over. */
const dropPast = (text: string | null, yearMax: number): string | null =>
  text !== null && /^\d{4}$/.test(text) && Number(text) < yearMax ? null : text;

const PRIORITIES = ['high', 'medium', 'low'] as const;

const toPriority = (value: unknown): (typeof PRIORITIES)[number] =>
  PRIORITIES.find((item) => item === (typeof value === 'string' ? value.toLowerCase() : value)) ??
  'medium';

import { isCutOff, readJsonAnswer } from '@witan/dialects';
import type { JsonError, JsonObject } from '@witan/dialects';
import { isObject, openAnswerReading } from './answer-reading.ts';
import { budgetOf } from './depth-budget.ts';
import type { Analysis, Depth } from './market-analysis.ts';
import { mendCompetitors } from './mend-competitors.ts';
import { isUnknownSize, mendMarketSize } from './mend-market-size.ts';
import { mendRecommendations } from './mend-recommendations.ts';
import { skipThoughts } from './skip-thoughts.ts';

/** How an answer came about. */
export type MarketAnswer = {
  query: string;
  depth: Depth;
  /** What ran. */
  model: string;
  finishReason: string;
  readAt: Date;
};

/** The analysis of an answer, why another answer should be asked for, or both. */
export type ReadMarketAnswer = { analysis?: Analysis; fault?: JsonError };

const ASSUMPTIONS_MAX = 12;

/**
 * Reads an analysis out of what a model wrote, and makes it honest (C9): what contradicts itself is
 * mended or left out, and `assumptions` say so. An answer that lacks a part is a fault, and an
 * analysis all the same as long as it says anything.
 */
export const readMarketAnswer = (raw: string, answer: MarketAnswer): ReadMarketAnswer => {
  const isCut = isCutOff(answer.finishReason);
  const read = readJsonAnswer(dropThoughts(raw), { isCut });
  if ('error' in read) return { fault: read.error };
  const said = unwrap(read.object);
  const missing = findMissing(said);
  const analysis = missing.length === PARTS.length ? undefined : toAnalysis(said, answer);
  if (!analysis || isEmpty(analysis)) {
    return { fault: { kind: 'missing-fields', names: [...PARTS] } };
  }
  return {
    analysis,
    ...(missing.length === 0 ? {} : { fault: { kind: 'missing-fields', names: missing } }),
  };
};

/** Whether no part of an analysis says anything of its market. */
const isEmpty = ({ marketSize, trends, competitors, recommendations }: Analysis): boolean =>
  isUnknownSize(marketSize) &&
  [trends, competitors, recommendations].every((part) => part.length === 0);

/** Thoughts whose opening a prompt template has swallowed. */
const UNOPENED = /^[^{]*<\/(?:think|thinking|thoughts?|reasoning)>/iu;

const dropThoughts = (raw: string): string => skipThoughts(raw).replace(UNOPENED, '');

/** Models like to put what was asked for into a member of that name. */
const unwrap = (object: JsonObject): JsonObject => {
  const inner = object['analysis'];
  return isObject(inner) && findMissing(object).length === PARTS.length ? inner : object;
};

const PARTS = ['marketSize', 'trends', 'competitors', 'recommendations'] as const;

/** An empty list is an answer: nobody is to invent what is not known. */
const findMissing = (said: JsonObject): string[] =>
  PARTS.filter((part) => (part === 'marketSize' ? said[part] == null : !Array.isArray(said[part])));

const toAnalysis = (said: JsonObject, { query, depth, model, readAt }: MarketAnswer): Analysis => {
  const budget = budgetOf(depth);
  const reading = openAnswerReading({ query, budget, yearMax: readAt.getUTCFullYear() });
  const { texts, note } = reading;
  const marketSize = mendMarketSize(said['marketSize'], reading);
  const trends = texts.list(said['trends'], budget.trends);
  const competitors = mendCompetitors(said['competitors'], reading);
  const recommendations = mendRecommendations(said['recommendations'], reading);
  const assumed = texts.list(said['assumptions'], ASSUMPTIONS_MAX);
  const isCiting = texts.list(said['sources'], 1).length > 0;
  if (isCiting || texts.sources > 0) {
    note('The sources that the model named were left out: none of them was read.');
  }
  if (texts.links > 0) note('Links in texts were left out: no page was read.');
  return {
    marketSize,
    trends,
    competitors,
    recommendations,
    assumptions: [...assumed, ...reading.notes, NOTHING_READ],
    sources: [
      `The model ${model}, from memory: nothing was looked up`,
      ...(competitors.some(({ evidence }) => evidence === 'provided') ? ['The question'] : []),
    ],
    generatedAt: readAt.toISOString(),
    depth,
  };
};

const NOTHING_READ =
  'No web page and no database was searched: figures and names are what a model remembers, so no ' +
  'confidence is above 0.5.';

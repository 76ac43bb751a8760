import type { JsonSchema } from '../../http/route.ts';
import { FINISH_REASON, TOKEN_USAGE } from '../agent-chat/agent-chat-schema.ts';
import { closedObject } from '../closed-object.ts';
import { pageSchema } from '../list-page.ts';
import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';

const QUERY_LENGTH_MAX = 8_000;

const text: JsonSchema = { type: 'string' };
const texts: JsonSchema = { type: 'array', items: text };
const nullableText: JsonSchema = { type: ['string', 'null'] };
const figure: JsonSchema = { type: ['number', 'null'], minimum: 0 };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const depth: JsonSchema = { enum: ['quick', 'standard', 'comprehensive'] };
const confidence: JsonSchema = {
  type: 'number',
  minimum: 0,
  maximum: 0.5,
  description: 'Never above 0.5, as nothing is looked up',
};

export const MARKET_ANALYSIS_REQUEST: JsonSchema = {
  type: 'object',
  required: ['query'],
  properties: {
    query: { type: 'string', maxLength: QUERY_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
    depth: {
      ...depth,
      description: 'At most 3, 5 or 8 items of each list; by default standard',
    },
  },
};

const marketSize: JsonSchema = closedObject(
  {
    description: { ...nullableText, description: 'In words, where there is no figure' },
    value: figure,
    unit: nullableText,
    currency: nullableText,
    year: { type: ['integer', 'null'] },
    region: nullableText,
    cagrPct: { type: ['number', 'null'], description: 'Growth in percent a year' },
    low: { ...figure, description: 'low <= value <= high' },
    high: figure,
    method: { enum: ['top_down', 'bottom_up', 'unknown'] },
    confidence,
  },
  {
    tam: { ...figure, description: 'Of a comprehensive analysis: som <= sam <= tam' },
    sam: figure,
    som: figure,
  },
);

const competitor: JsonSchema = closedObject({
  name: text,
  description: nullableText,
  positioning: nullableText,
  strengths: texts,
  weaknesses: texts,
  estimatedSharePct: {
    type: ['number', 'null'],
    minimum: 0,
    maximum: 100,
    description: 'Of all competitors together at most 100',
  },
  pricing: nullableText,
  url: { type: 'null', description: 'No page was read, so there is none to point to' },
  evidence: {
    enum: ['model_knowledge', 'provided'],
    description: '`provided`: the question names it',
  },
  confidence,
});

const recommendation: JsonSchema = closedObject({
  title: text,
  rationale: nullableText,
  priority: { enum: ['high', 'medium', 'low'] },
  effort: nullableText,
  impact: nullableText,
  timeframe: nullableText,
  risks: texts,
  kpis: texts,
});

const analysis: JsonSchema = {
  ...closedObject({
    marketSize,
    trends: texts,
    competitors: { type: 'array', items: competitor },
    recommendations: { type: 'array', items: recommendation },
    assumptions: {
      ...texts,
      description:
        'What the model took for granted, then what was mended in its answer or left out of it',
    },
    sources: texts,
    generatedAt: instant,
    depth,
  }),
  description: 'Its JSON text, as it stands here, is what the certificate of the answer commits to',
};

const listedProperties = { id: text, query: text, depth, createdAt: instant } as const;
const found = {
  ...listedProperties,
  analysis,
  proofs: { ...texts, description: 'Ids of the certificates behind it, first that of the answer' },
} as const;

export const CREATED_MARKET_ANALYSIS: JsonSchema = closedObject({
  ...found,
  finishReason: FINISH_REASON,
  usage: TOKEN_USAGE,
});

export const MARKET_ANALYSIS: JsonSchema = closedObject(found);

export const MARKET_ANALYSES: JsonSchema = pageSchema('analyses', closedObject(listedProperties));

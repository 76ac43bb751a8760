import { FINISH_REASON, TOKEN_USAGE } from '../agent-chat/agent-chat-schema.ts';
import { pageSchema } from '../list-page.ts';
import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, dateTime, nullableText, text, texts } from '../../http/schema.ts';

const QUERY_LENGTH_MAX = 8_000;

const figure = { type: ['number', 'null'], minimum: 0 } as const;
const depth = { enum: ['quick', 'standard', 'comprehensive'] } as const;
const confidence = {
  type: 'number',
  minimum: 0,
  maximum: 0.5,
  description: 'Never above 0.5, as nothing is looked up',
} as const;

export const MARKET_ANALYSIS_REQUEST = {
  type: 'object',
  required: ['query'],
  properties: {
    query: { type: 'string', maxLength: QUERY_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
    depth: {
      ...depth,
      description: 'At most 3, 5 or 8 items of each list; by default standard',
    },
  },
} as const;

const marketSize = closedObject(
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

const competitor = closedObject({
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

const recommendation = closedObject({
  title: text,
  rationale: nullableText,
  priority: { enum: ['high', 'medium', 'low'] },
  effort: nullableText,
  impact: nullableText,
  timeframe: nullableText,
  risks: texts,
  kpis: texts,
});

const analysis = {
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
    generatedAt: dateTime,
    depth,
  }),
  description: 'Its JSON text, as it stands here, is what the certificate of the answer commits to',
} as const;

const listedProperties = { id: text, query: text, depth, createdAt: dateTime } as const;
const found = {
  ...listedProperties,
  analysis,
  proofs: { ...texts, description: 'Ids of the certificates behind it, first that of the answer' },
} as const;

export const CREATED_MARKET_ANALYSIS = closedObject({
  ...found,
  finishReason: FINISH_REASON,
  usage: TOKEN_USAGE,
});

export const MARKET_ANALYSIS = closedObject(found);

export const MARKET_ANALYSES = pageSchema('analyses', closedObject(listedProperties));

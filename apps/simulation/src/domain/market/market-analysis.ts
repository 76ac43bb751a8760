import { invalidRequest, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export const DEPTHS = ['quick', 'standard', 'comprehensive'] as const;

/** How much is wanted (Seed 2.9). */
export type Depth = (typeof DEPTHS)[number];

const METHODS = ['top_down', 'bottom_up', 'unknown'] as const;
const LEVELS = ['high', 'medium', 'low'] as const;

/** What a market is worth; null is what nobody knows. */
export type MarketSize = {
  /** In words, where there is no figure. */
  description: string | null;
  value: number | null;
  unit: string | null;
  currency: string | null;
  year: number | null;
  region: string | null;
  /** Growth in percent a year. */
  cagrPct: number | null;
  low: number | null;
  high: number | null;
  method: (typeof METHODS)[number];
  /** 0 to 0.5: nothing was looked up. */
  confidence: number;
  /** Of a comprehensive analysis; `som` <= `sam` <= `tam`. */
  tam?: number | null;
  sam?: number | null;
  som?: number | null;
};

export type Competitor = {
  name: string;
  description: string | null;
  positioning: string | null;
  strengths: string[];
  weaknesses: string[];
  /** Of all competitors together at most 100. */
  estimatedSharePct: number | null;
  pricing: string | null;
  /** No page was read, so there is none to point to. */
  url: null;
  /** `provided`: the question names it. */
  evidence: 'model_knowledge' | 'provided';
  confidence: number;
};

export type Recommendation = {
  title: string;
  rationale: string | null;
  priority: (typeof LEVELS)[number];
  effort: string | null;
  impact: string | null;
  timeframe: string | null;
  risks: string[];
  kpis: string[];
};

/** What a model knows of a market, made honest by code (C9). */
export type Analysis = {
  marketSize: MarketSize;
  trends: string[];
  competitors: Competitor[];
  recommendations: Recommendation[];
  /** What the model took for granted, then what was mended in its answer or left out of it. */
  assumptions: string[];
  sources: string[];
  generatedAt: string;
  depth: Depth;
};

/** One that is kept. */
export type MarketAnalysis = {
  id: string;
  query: string;
  depth: Depth;
  createdAt: Date;
  /** JSON text of an `Analysis`: what the certificate commits to. */
  analysis: string;
  /** Certificates of every call, first that of the answer. */
  proofIds: readonly string[];
};

/** Where analyses are kept. */
export type MarketStore = {
  insert: (workspaceId: string, analysis: MarketAnalysis) => Promise<void>;
  /** Newest first; `after` is the last one of the page before. */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<Omit<MarketAnalysis, 'analysis' | 'proofIds'>[]>;
  find: (workspaceId: string, id: string) => Promise<MarketAnalysis | undefined>;
};

const QUERY_LENGTH_MAX = 8_000;

/** Throws INVALID_REQUEST for what nobody can be asked. */
export const checkQuery = (query: string): void => {
  const isFit = query.length <= QUERY_LENGTH_MAX && !query.includes('\0') && query.isWellFormed();
  if (isFit && query.trim() !== '') return;
  const message = `query must have 1 to ${QUERY_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidRequest(message, { param: 'query' });
};

/** The depth of that name, empty: standard. Throws INVALID_REQUEST for another. */
export const toDepth = (name: string): Depth => {
  const depth = name === '' ? 'standard' : DEPTHS.find((one) => one === name);
  if (depth) return depth;
  throw invalidRequest(`depth must be one of ${DEPTHS.join(', ')}.`, { param: 'depth' });
};

export const toMethod = (value: unknown): MarketSize['method'] =>
  METHODS.find((one) => one === value) ?? 'unknown';

export const toPriority = (value: unknown): Recommendation['priority'] =>
  LEVELS.find((one) => one === (typeof value === 'string' ? value.toLowerCase() : value)) ??
  'medium';

/** Also for analyses of other workspaces. */
export const noSuchAnalysis = (): ServiceError =>
  notFound('There is no such market analysis in this workspace.');

/** What is told of an analysis that is kept, and how long it took in milliseconds. */
export type MarketWatch = { onAnalysed: (analysis: MarketAnalysis, tookMs: number) => void };

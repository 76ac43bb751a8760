import { invalidRequest, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export const DEPTHS = ['quick', 'standard', 'comprehensive'] as const;

export type Depth = (typeof DEPTHS)[number];

const METHODS = ['top_down', 'bottom_up', 'unknown'] as const;
const LEVELS = ['high', 'medium', 'low'] as const;

/** The size of a market; null: unknown. */
export type MarketSize = {
  /** In words if there is no figure. */
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
  /** 0 to 0.5, because nothing was looked up. */
  confidence: number;
  /** Comprehensive analyses only; `som` <= `sam` <= `tam`. */
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
  /** Shares of all competitors add up to at most 100. */
  estimatedSharePct: number | null;
  pricing: string | null;
  /** No page was read, so there is no link. */
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

/** A model's knowledge of a market, normalized and checked. */
export type Analysis = {
  marketSize: MarketSize;
  trends: string[];
  competitors: Competitor[];
  recommendations: Recommendation[];
  /** The model's assumptions, then what was normalized in its answer or removed. */
  assumptions: string[];
  sources: string[];
  generatedAt: string;
  depth: Depth;
};

/** A stored analysis. */
export type MarketAnalysis = {
  id: string;
  query: string;
  depth: Depth;
  createdAt: Date;
  /** JSON text of an `Analysis`; the certificate commits to it. */
  analysis: string;
  /** Certificates of every call, that of the answer first. */
  proofIds: readonly string[];
};

export type MarketStore = {
  insert: (workspaceId: string, analysis: MarketAnalysis) => Promise<void>;
  /** Newest first; `after` is the last id of the page before. */
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<Omit<MarketAnalysis, 'analysis' | 'proofIds'>[]>;
  find: (workspaceId: string, id: string) => Promise<MarketAnalysis | undefined>;
};

const QUERY_LENGTH_MAX = 8_000;

/** Throws INVALID_REQUEST for an empty, too long or malformed question. */
export const checkQuery = (query: string): void => {
  const isFit = query.length <= QUERY_LENGTH_MAX && !query.includes('\0') && query.isWellFormed();
  if (isFit && query.trim() !== '') return;
  const message = `query must have 1 to ${QUERY_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidRequest(message, { param: 'query' });
};

/** Returns the depth of that name, standard if it is empty. Throws INVALID_REQUEST for another. */
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

/** Called with each stored analysis and its duration in milliseconds. */
export type MarketWatch = { onAnalysed: (analysis: MarketAnalysis, tookMs: number) => void };

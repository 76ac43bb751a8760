import { invalidRequest, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export const DEPTHS = ['quick', 'standard', 'comprehensive'] as const;

export type Depth = (typeof DEPTHS)[number];

const METHODS = ['top_down', 'bottom_up', 'unknown'] as const;
const LEVELS = ['high', 'medium', 'low'] as const;

export type MarketSize = {
  description: string | null;
  value: number | null;
  unit: string | null;
  currency: string | null;
  year: number | null;
  region: string | null;
  cagrPct: number | null;
  low: number | null;
  high: number | null;
  method: (typeof METHODS)[number];
  confidence: number;
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
  estimatedSharePct: number | null;
  pricing: string | null;
  /** Always null, because the model reads no web page and could only invent a URL. */
  url: null;
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

export type Analysis = {
  marketSize: MarketSize;
  trends: string[];
  competitors: Competitor[];
  recommendations: Recommendation[];
  assumptions: string[];
  sources: string[];
  generatedAt: string;
  depth: Depth;
};

export type MarketAnalysis = {
  id: string;
  query: string;
  depth: Depth;
  createdAt: Date;
  /** JSON text of an `Analysis`. The certificate commits to this exact text. */
  analysis: string;
  /** Certificates of all model calls; the first one commits to the analysis. */
  proofIds: readonly string[];
};

export type MarketStore = {
  insert: (workspaceId: string, analysis: MarketAnalysis) => Promise<void>;
  list: (
    workspaceId: string,
    page: { limit: number; after?: string },
  ) => Promise<Omit<MarketAnalysis, 'analysis' | 'proofIds'>[]>;
  find: (workspaceId: string, id: string) => Promise<MarketAnalysis | undefined>;
};

const QUERY_LENGTH_MAX = 8_000;

export const checkQuery = (query: string): void => {
  const isValidText =
    query.length <= QUERY_LENGTH_MAX && !query.includes('\0') && query.isWellFormed();
  if (isValidText && query.trim() !== '') return;
  const message = `query must have 1 to ${QUERY_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidRequest(message, { param: 'query' });
};

/**
 * Returns the depth with the given name; an empty name means `standard`. Throws INVALID_REQUEST for
 * an unknown name.
 */
export const toDepth = (name: string): Depth => {
  const depth = name === '' ? 'standard' : DEPTHS.find((item) => item === name);
  if (depth) return depth;
  throw invalidRequest(`depth must be one of ${DEPTHS.join(', ')}.`, { param: 'depth' });
};

export const toMethod = (value: unknown): MarketSize['method'] =>
  METHODS.find((item) => item === value) ?? 'unknown';

export const toPriority = (value: unknown): Recommendation['priority'] =>
  LEVELS.find((item) => item === (typeof value === 'string' ? value.toLowerCase() : value)) ??
  'medium';

export const noSuchAnalysis = (): ServiceError =>
  notFound('There is no such market analysis in this workspace.');

export type MarketObserver = { onAnalysed: (analysis: MarketAnalysis, tookMs: number) => void };

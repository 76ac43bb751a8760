import { invalidRequest, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export const DEPTHS = ['quick', 'standard', 'comprehensive'] as const;

export type Depth = (typeof DEPTHS)[number];

export type DepthBudget = {
  /** Maximum number of trends, of competitors and of recommendations. */
  items: number;
  /**
   * Token limit of the first answer. If that answer is truncated, its retry has at least twice this
   * limit.
   */
  outputTokens: number;
  hasSegments: boolean;
};

export const BUDGETS: Readonly<Record<Depth, DepthBudget>> = {
  quick: { items: 3, outputTokens: 2_000, hasSegments: false },
  standard: { items: 5, outputTokens: 4_000, hasSegments: false },
  comprehensive: { items: 8, outputTokens: 8_000, hasSegments: true },
};

export type MarketAnalysis = {
  id: string;
  query: string;
  depth: Depth;
  createdAt: Date;
  /** JSON text of the analysis. The certificate commits to this exact text. */
  analysis: string;
  /** Ids of the certificates of the model calls; the first one commits to the analysis. */
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

export const noSuchAnalysis = (): ServiceError =>
  notFound('There is no such market analysis in this workspace.');

export type MarketObserver = { onAnalysed: (analysis: MarketAnalysis, tookMs: number) => void };

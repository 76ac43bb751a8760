import type { Depth } from './market-analysis.ts';

export type DepthBudget = {
  competitors: number;
  recommendations: number;
  trends: number;
  /**
   * Token limit of the first answer. If that answer is truncated, its retry has at least twice this
   * limit.
   */
  outputTokens: number;
  hasSegments: boolean;
};

const BUDGETS: Readonly<Record<Depth, DepthBudget>> = {
  quick: {
    competitors: 3,
    recommendations: 3,
    trends: 3,
    outputTokens: 2_000,
    hasSegments: false,
  },
  standard: {
    competitors: 5,
    recommendations: 5,
    trends: 5,
    outputTokens: 4_000,
    hasSegments: false,
  },
  comprehensive: {
    competitors: 8,
    recommendations: 8,
    trends: 8,
    outputTokens: 8_000,
    hasSegments: true,
  },
};

export const budgetOf = (depth: Depth): DepthBudget => BUDGETS[depth];

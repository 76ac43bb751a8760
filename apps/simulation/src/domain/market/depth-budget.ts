import type { Depth } from './market-analysis.ts';

/** What an analysis of a depth may hold, and what its answer may take (C9). */
export type DepthBudget = {
  competitors: number;
  recommendations: number;
  trends: number;
  /** Offered to the answer; one that is cut off is offered twice as much. */
  outputTokens: number;
  /** TAM, SAM and SOM are asked for, and held against each other. */
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

import type { Depth } from './market-analysis.ts';

/** Limits of an analysis by depth. */
export type DepthBudget = {
  competitors: number;
  recommendations: number;
  trends: number;
  /** Output limit of the first answer; the retry of a truncated one has twice as much. */
  outputTokens: number;
  /** TAM, SAM and SOM are requested and compared. */
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

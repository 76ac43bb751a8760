import { BRAND_WEIGHT, QUALITY_WEIGHT } from '../company/step-market.ts';
import { SECTORS } from '../company/sector.ts';
import type { EngineState } from '../turn/engine-state.ts';

export const REVENUE_DRIVERS = ['prices', 'ownPrice', 'market', 'share', 'served'] as const;
export type RevenueDriver = (typeof REVENUE_DRIVERS)[number];

export const SHARE_DRIVERS = ['brand', 'quality', 'price'] as const;
export type ShareDriver = (typeof SHARE_DRIVERS)[number];

/**
 * Causes of the changes of revenue and of market share, each as the logarithm of a ratio. Positive
 * values are increases.
 */
type RevenueExplained = {
  readonly revenue: Readonly<Record<RevenueDriver, number>>;
  readonly share: Readonly<Record<ShareDriver, number>>;
};

/**
 * Splits the change of revenue between two states into the effects of general prices, own price,
 * market size, market share, and served share of demand. The effect of the market share is split
 * further into brand, quality and price by their elasticities.
 */
export const explainRevenue = (
  { company: before }: EngineState,
  { company: after }: EngineState,
): RevenueExplained => {
  const change = (read: (company: EngineState['company']) => number): number =>
    toLog(read(after) / read(before));
  const relativePrice = change(({ price, marketPrice }) => price / marketPrice);
  return {
    revenue: {
      prices: change(({ marketPrice }) => marketPrice),
      ownPrice: relativePrice,
      market: change(({ marketCustomers }) => marketCustomers),
      share: change(({ marketShare }) => marketShare),
      served: change(
        ({ customers, marketShare, marketCustomers }) =>
          customers / (marketShare * marketCustomers),
      ),
    },
    share: {
      brand: BRAND_WEIGHT * change(({ brand }) => brand),
      quality: QUALITY_WEIGHT * change(({ quality }) => quality),
      price: -SECTORS[after.sector].priceElasticity * relativePrice,
    },
  };
};

const toLog = (ratio: number): number =>
  ratio > 0 && Number.isFinite(ratio) ? Math.log(ratio) : 0;

export const usualSpendingOf = ({
  company,
}: EngineState): { marketingPct: number; rdPct: number } => {
  const { marketingPct, rdPct } = SECTORS[company.sector];
  return { marketingPct, rdPct };
};

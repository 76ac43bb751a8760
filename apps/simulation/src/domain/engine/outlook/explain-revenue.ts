import { BRAND_WEIGHT, QUALITY_WEIGHT } from '../company/step-market.ts';
import { SECTORS } from '../company/sector.ts';
import type { EngineState } from '../turn/engine-state.ts';

/** Factors of revenue; the logarithms of their changes add up to that of revenue. */
export const REVENUE_DRIVERS = ['prices', 'ownPrice', 'market', 'share', 'served'] as const;
export type RevenueDriver = (typeof REVENUE_DRIVERS)[number];

/** Factors that buyers choose by. */
export const SHARE_DRIVERS = ['brand', 'quality', 'price'] as const;
export type ShareDriver = (typeof SHARE_DRIVERS)[number];

/** Logarithms of changes: a factor above 0 increased revenue, or the market share. */
export type RevenueExplained = {
  readonly revenue: Readonly<Record<RevenueDriver, number>>;
  readonly share: Readonly<Record<ShareDriver, number>>;
};

/**
 * Splits the change of revenue between two states into its causes: general prices, own price,
 * market size, market share, and the part of the demand that was served. The share is split by the
 * sector's elasticities into brand, quality and price.
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

/** Returns 0 if the ratio is undefined. */
const toLog = (ratio: number): number =>
  ratio > 0 && Number.isFinite(ratio) ? Math.log(ratio) : 0;

/** Returns the usual spending of the company's sector, percent of revenue. */
export const usualSpendingOf = ({
  company,
}: EngineState): { marketingPct: number; rdPct: number } => {
  const { marketingPct, rdPct } = SECTORS[company.sector];
  return { marketingPct, rdPct };
};

import type { Analysis } from './market-query.ts';

type MarketSize = Analysis['marketSize'];

const CURRENCY_CODE = /^[A-Z]{3}$/;
const COMPACT = { notation: 'compact', maximumFractionDigits: 1 } as const;

/** Returns an amount such as "€120M", or "120M Taler" if the currency is no ISO code. */
export const formatAmount = (amount: number, currency: MarketSize['currency']): string => {
  if (currency !== null && CURRENCY_CODE.test(currency)) {
    const style = { ...COMPACT, style: 'currency', currency } as const;
    return new Intl.NumberFormat(undefined, style).format(amount);
  }
  const figure = new Intl.NumberFormat(undefined, COMPACT).format(amount);
  return currency === null ? figure : `${figure} ${currency}`;
};

/** Returns a share of 0 to 1 as percent. */
export const formatShare = (share: number): string => `${Math.round(share * 100)} %`;

/** Returns percent with at most one digit after the point, such as "4.5 %". */
export const formatPercent = (percent: number): string =>
  `${percent.toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;

/** Returns where the value is between low and high, 0 to 1; undefined without a range. */
export const positionInRange = ({ value, low, high }: MarketSize): number | undefined => {
  if (value === null || low === null || high === null || high <= low) return undefined;
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
};

const ORDER = { high: 0, medium: 1, low: 2 } as const;

/** Returns the recommendations by priority; those of one priority stay in their order. */
export const byPriority = (
  recommendations: Analysis['recommendations'],
): Analysis['recommendations'] =>
  recommendations.toSorted((one, other) => ORDER[one.priority] - ORDER[other.priority]);

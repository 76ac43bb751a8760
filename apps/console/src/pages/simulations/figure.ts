/** Figures of a company state that the pages show, each with its unit. */
export const FIGURES = {
  revenue: { label: 'Revenue', unit: 'per year', kind: 'money' },
  cash: { label: 'Cash', unit: 'at the end of the turn', kind: 'money' },
  burn: { label: 'Burn', unit: 'per month', kind: 'money' },
  marketShare: { label: 'Market share', unit: 'of the market', kind: 'share' },
  ebitda: { label: 'EBITDA', unit: 'per year', kind: 'money' },
  employees: { label: 'Employees', unit: 'at the end of the turn', kind: 'count' },
  runwayMonths: { label: 'Runway', unit: 'months', kind: 'count' },
  valuation: { label: 'Valuation', unit: 'multiple of revenue, cash less debt', kind: 'money' },
} as const;

export type FigureName = keyof typeof FIGURES;

/** The figures that charts show; the API forecasts these three. */
export const CHARTED = ['revenue', 'cash', 'marketShare'] as const satisfies FigureName[];

export type ChartedName = (typeof CHARTED)[number];

/** Returns a number of an open object of the API; null if it has none by this name. */
export const readNumber = (source: object, name: string): number | null => {
  const value = (source as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
};

const compact = { notation: 'compact', maximumSignificantDigits: 3 } as const;
const count = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });
const precisePercent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumSignificantDigits: 2,
});
const changePercent = new Intl.NumberFormat(undefined, {
  style: 'percent',
  maximumFractionDigits: 1,
  signDisplay: 'exceptZero',
});

/** Shares below this are shown with two significant digits instead of one decimal. */
const SMALL_SHARE = 0.01;

export type FormatMoney = (amount: number) => string;

/**
 * Returns a function that formats money in the currency of the company: an ISO code or a sign. If
 * it has none, amounts have no sign.
 */
export const createFormatMoney = (companyBase: object): FormatMoney => {
  const { currency } = companyBase as { currency?: unknown };
  if (typeof currency === 'string' && /^[A-Z]{3}$/.test(currency)) {
    const format = new Intl.NumberFormat(undefined, { ...compact, style: 'currency', currency });
    return (amount) => format.format(amount);
  }
  const format = new Intl.NumberFormat(undefined, compact);
  const sign = typeof currency === 'string' && currency.length <= 4 ? currency : '';
  return (amount) => `${amount < 0 ? '-' : ''}${sign}${format.format(Math.abs(amount))}`;
};

export const formatShare = (share: number): string =>
  (share !== 0 && Math.abs(share) < SMALL_SHARE ? precisePercent : percent).format(share);

/** Returns the part of the runs of a forecast, in no more digits than some hundred runs support. */
export const formatChance = (share: number): string => precisePercent.format(share);

export const formatChange = (change: number): string => changePercent.format(change);

export const formatFigure = (
  name: FigureName,
  value: number | null,
  formatMoney: FormatMoney,
): string => {
  if (value === null) return 'none';
  const { kind } = FIGURES[name];
  if (kind === 'money') return formatMoney(value);
  return kind === 'share' ? formatShare(value) : count.format(value);
};

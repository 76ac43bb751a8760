export const LEVER_NAMES = [
  'priceChange',
  'marketingPct',
  'rdPct',
  'headcountChange',
  'capexPct',
  'raiseEquity',
  'debtChange',
  'newMarketEntry',
  'costProgram',
] as const;

export type LeverName = (typeof LEVER_NAMES)[number];

/**
 * Value of each lever per quarter: in percent, except `raiseEquity` and `debtChange` (money) and
 * `newMarketEntry` (0 or 1).
 */
export type Levers = Readonly<Record<LeverName, number>>;

export type MutableLevers = { -readonly [Name in LeverName]: number };

export const createLevers = (): MutableLevers => ({
  priceChange: 0,
  marketingPct: 0,
  rdPct: 0,
  headcountChange: 0,
  capexPct: 0,
  raiseEquity: 0,
  debtChange: 0,
  newMarketEntry: 0,
  costProgram: 0,
});

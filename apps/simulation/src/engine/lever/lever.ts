import { assetsOf } from '../company/company-state.ts';
import type { CompanyState } from '../company/company-state.ts';
import type { EngineState } from '../turn/engine-state.ts';

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

export type LeverBounds = {
  readonly name: LeverName;
  readonly description: string;
  readonly min: number;
  readonly max: number;
  readonly defaultValue: number;
};

const PRICE_PCT = 10;
const SPENDING_PCT = 40;
const HEADCOUNT_PCT = 25;
const CAPEX_PCT = 30;
const COST_PCT = 10;
/** Maximum share of `businessValue` that can be raised as equity in one quarter. */
const EQUITY_SHARE = 0.25;
/**
 * Debt limits: years of EBITDA, share of revenue and share of assets. The highest of the three
 * applies.
 */
const [DEBT_EBITDA, DEBT_REVENUE, DEBT_ASSETS] = [3, 0.25, 0.3] as const;
const MARKETS_MAX = 3;
/** No further cost program is possible when this share of the initial overhead or less remains. */
const OVERHEAD_LEFT_MIN = 0.5;

const DESCRIPTIONS: Readonly<Record<LeverName, string>> = {
  priceChange: 'change of the price beyond inflation, in percent',
  marketingPct: 'marketing without staff, in percent of revenue, not as a fraction',
  rdPct: 'research and development without staff, in percent of revenue',
  headcountChange: 'net change of the number of employees, in percent; quits are replaced',
  capexPct: 'investment in plant and equipment, in percent of revenue',
  raiseEquity: 'new equity that owners pay in, in money',
  debtChange: 'new loans, negative to repay, in money',
  newMarketEntry: '1 begins to enter a further market, which takes a year and costs',
  costProgram: 'cut of the overhead for good, in percent; costs half a year of the savings',
};

export const describeLevers = ({ company }: EngineState): readonly LeverBounds[] => {
  const defaults = defaultLevers(company);
  const bounds: Readonly<Record<LeverName, readonly [number, number]>> = {
    priceChange: [-PRICE_PCT, PRICE_PCT],
    marketingPct: [0, maxMarketing(company)],
    rdPct: [0, maxRd(company)],
    headcountChange: [-HEADCOUNT_PCT, maxHiring(company)],
    capexPct: [0, maxCapex(company)],
    raiseEquity: [0, maxEquity(company)],
    debtChange: [minDebtChange(company), maxDebtChange(company)],
    newMarketEntry: [0, maxMarketEntries(company)],
    costProgram: [0, maxCostProgram(company)],
  };
  return LEVER_NAMES.map((name) => {
    const [min, max] = bounds[name];
    return { name, description: DESCRIPTIONS[name], min, max, defaultValue: defaults[name] };
  });
};

/**
 * Returns the levers that apply without a decision: the spending percentages stay the same, all
 * other levers are 0.
 */
export const defaultLevers = ({ marketingPct, rdPct, capexPct }: CompanyState): Levers => ({
  priceChange: 0,
  marketingPct,
  rdPct,
  headcountChange: 0,
  capexPct,
  raiseEquity: 0,
  debtChange: 0,
  newMarketEntry: 0,
  costProgram: 0,
});

export const clampLevers = (
  clamped: MutableLevers,
  levers: Levers,
  company: CompanyState,
): void => {
  const { marketingPct, rdPct, capexPct } = company;
  clamped.priceChange = clamp(levers.priceChange, 0, -PRICE_PCT, PRICE_PCT);
  clamped.marketingPct = clamp(levers.marketingPct, marketingPct, 0, maxMarketing(company));
  clamped.rdPct = clamp(levers.rdPct, rdPct, 0, maxRd(company));
  clamped.headcountChange = clamp(levers.headcountChange, 0, -HEADCOUNT_PCT, maxHiring(company));
  clamped.capexPct = clamp(levers.capexPct, capexPct, 0, maxCapex(company));
  // The bounds of equity and debt are expensive, so they are computed only if the lever is used.
  const { raiseEquity, debtChange } = levers;
  clamped.raiseEquity = raiseEquity === 0 ? 0 : clamp(raiseEquity, 0, 0, maxEquity(company));
  clamped.debtChange =
    debtChange === 0 ? 0 : clamp(debtChange, 0, minDebtChange(company), maxDebtChange(company));
  const entry = clamp(levers.newMarketEntry, 0, 0, maxMarketEntries(company));
  clamped.newMarketEntry = entry >= 0.5 ? 1 : 0;
  clamped.costProgram = clamp(levers.costProgram, 0, 0, maxCostProgram(company));
};

const clamp = (value: number, defaults: number, min: number, max: number): number => {
  if (value > max) return max;
  if (value < min) return min;
  return value >= min ? value : Math.min(defaults, max);
};

// The following functions return the bounds of levers. An insolvent company cannot increase its
// spending percentages, staff or debt, and cannot enter a market.
const maxMarketing = ({ isInsolvent, marketingPct }: CompanyState): number =>
  isInsolvent ? marketingPct : SPENDING_PCT;

const maxRd = ({ isInsolvent, rdPct }: CompanyState): number =>
  isInsolvent ? rdPct : SPENDING_PCT;

const maxHiring = ({ isInsolvent }: CompanyState): number => (isInsolvent ? 0 : HEADCOUNT_PCT);

const maxCapex = ({ isInsolvent, capexPct }: CompanyState): number =>
  isInsolvent ? capexPct : CAPEX_PCT;

const maxEquity = (company: CompanyState): number => EQUITY_SHARE * businessValue(company);

const minDebtChange = ({ debt, cash }: CompanyState): number => 0 - Math.min(debt, cash);

const maxDebtChange = (company: CompanyState): number => {
  if (company.isInsolvent) return 0;
  const debtLimit = Math.max(
    DEBT_EBITDA * company.ebitda,
    DEBT_REVENUE * company.revenue,
    DEBT_ASSETS * assetsOf(company),
  );
  return Math.max(0, debtLimit - company.debt - company.creditDrawn);
};

const maxMarketEntries = ({ isInsolvent, entryQuarters, marketsEntered }: CompanyState): number =>
  isInsolvent || entryQuarters > 0 || marketsEntered >= MARKETS_MAX ? 0 : 1;

const maxCostProgram = ({ overheadLeft }: CompanyState): number =>
  overheadLeft > OVERHEAD_LEFT_MIN ? COST_PCT : 0;

/**
 * Returns the value of the business without its cash, at least half a year's revenue, so that a
 * company with a low valuation can still raise equity.
 */
const businessValue = ({ valuation, cash, revenue }: CompanyState): number =>
  Math.max(valuation - cash, revenue / 2);

import type { SectorName } from './sector.ts';

/**
 * A company at the end of a quarter: stocks, policies, and results of the quarter. Money is in the
 * caller's currency.
 */
export type CompanyState = {
  sector: SectorName;
  moneyScale: number;
  priceScale: number;
  unitScale: number;

  /** Price of one customer's annual purchases. */
  price: number;
  marketPrice: number;
  /** Customers served in the quarter; annual revenue = price × customers. */
  customers: number;
  marketCustomers: number;
  /** Share of the market's customers who want to buy from this company, 0 to 1. */
  marketShare: number;
  backlog: number;
  /** Percent of customers lost per quarter at the rivals' price and with all demand served. */
  usualChurnPct: number;
  /** Unserved share of the quarter's demand, 0 to 1. */
  serviceGap: number;
  /** Index of brand: 1 is usual for a company of this size. `quality` has the same scale. */
  brand: number;
  quality: number;
  /** Attraction of all rivals; this company's is 1 at usual brand, quality and price. */
  rivals: number;
  /**
   * Quarterly marketing spending that keeps `brand` at 1, as a share of the annual market.
   * `usualRd` is the share of R&D spending that keeps `quality` at 1.
   */
  usualMarketing: number;
  usualRd: number;
  concentration: number;
  /** Scale of the company's random change of market share per quarter. */
  volatility: number;

  employees: number;
  rookies: number;
  experts: number;
  wage: number;
  productivity: number;
  capacity: number;
  capacityAtStart: number;
  labourAtStart: number;
  plantAtStart: number;

  unitCost: number;
  overhead: number;
  /** Share of the initial overhead that remains after cost programs. */
  overheadLeft: number;
  marketingPct: number;
  rdPct: number;
  capexPct: number;
  /**
   * Number of additional markets, including the one that is being entered; `entryQuarters` is the
   * number of quarters until that entry is complete.
   */
  marketsEntered: number;
  entryQuarters: number;

  cash: number;
  receivables: number;
  inventory: number;
  plant: number;
  payables: number;
  arrears: number;
  debt: number;
  creditDrawn: number;
  creditLine: number;
  equityPaid: number;
  retainedEarnings: number;
  lossCarried: number;
  isInsolvent: boolean;

  // Results of the quarter: `revenue` and `ebitda` as annual rates, `burn` per month.
  revenue: number;
  ebitda: number;
  burn: number;
  valuation: number;
};

export const assetsOf = ({ cash, receivables, inventory, plant }: CompanyState): number =>
  cash + receivables + inventory + plant;

export const liabilitiesOf = ({ payables, arrears, debt, creditDrawn }: CompanyState): number =>
  payables + arrears + debt + creditDrawn;

export const equityOf = ({ equityPaid, retainedEarnings }: CompanyState): number =>
  equityPaid + retainedEarnings;

/**
 * Returns the annual base of spending percentages: last quarter's revenue, or the wages if they are
 * higher, as in a young company.
 */
export const budgetOf = ({ revenue, rookies, experts, wage }: CompanyState): number =>
  Math.max(revenue, (rookies + experts) * wage);

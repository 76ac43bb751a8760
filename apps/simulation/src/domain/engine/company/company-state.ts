import type { SectorName } from './sector.ts';

/**
 * A company at the end of a quarter: stocks, policies, and the quarter's figures as annual rates.
 * Money is in the caller's currency.
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
  /** 1 is usual for a company of this size. */
  brand: number;
  quality: number;
  /** Attraction of all rivals; this company's is 1 at usual brand, quality and price. */
  rivals: number;
  /** Quarterly spending that keeps brand and quality at 1, as shares of the annual market. */
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
  /** Number of additional markets, and quarters until the latest one is entered. */
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

  // Annual rates of the quarter's figures.
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

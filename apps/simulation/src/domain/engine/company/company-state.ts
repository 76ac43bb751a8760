import type { SectorName } from './sector.ts';

/**
 * A company at the end of a quarter: stocks, policies, and the quarter's own figures at a year's
 * rate. Money is in the caller's currency; what is per year, per month or percent says so.
 */
export type CompanyState = {
  sector: SectorName;
  /** Steps of money, of prices and of customers (see `fix`). */
  moneyScale: number;
  priceScale: number;
  unitScale: number;

  // What it sells, to whom, against whom.
  /** Of what one customer buys in a year. */
  price: number;
  /** What rivals ask for the same. */
  marketPrice: number;
  /** Served in the quarter, each for a year's worth: revenue per year = price × customers. */
  customers: number;
  /** Whom the whole market has. */
  marketCustomers: number;
  /** Of the market's customers, those who want to buy here; 0 to 1. */
  marketShare: number;
  /** Customers' worth of orders that wait. */
  backlog: number;
  /** Of customers, a quarter, at the rivals' price and with everybody served. */
  usualChurnPct: number;
  /** Of offered demand, what could not be served in the quarter; 0 to 1. */
  serviceGap: number;
  /** 1: that of a usual company of its size. */
  brand: number;
  quality: number;
  /** Together, beside this company's 1 at its usual brand, quality and price. */
  rivals: number;
  /**
   * The spending of a quarter that keeps brand and quality at 1, as shares of the yearly market.
   */
  usualMarketing: number;
  usualRd: number;
  concentration: number;
  /** Scale of the company's own luck in a quarter. */
  volatility: number;

  // Who works, and with what.
  employees: number;
  rookies: number;
  experts: number;
  /** Full cost of one employee a year. */
  wage: number;
  /** 1 at turn 0; grows with the state of the art. */
  productivity: number;
  /** Customers that it could serve. */
  capacity: number;
  capacityAtStart: number;
  labourAtStart: number;
  plantAtStart: number;

  // What it costs.
  /** Direct cost of a customer's worth a year. */
  unitCost: number;
  /** Per year. */
  overhead: number;
  /** What cost programs have left of the overhead of turn 0. */
  overheadLeft: number;
  marketingPct: number;
  rdPct: number;
  capexPct: number;
  /** New markets entered, and quarters left of entering the last one. */
  marketsEntered: number;
  entryQuarters: number;

  // The books.
  cash: number;
  receivables: number;
  inventory: number;
  plant: number;
  payables: number;
  /** What fell due and could not be paid. */
  arrears: number;
  debt: number;
  creditDrawn: number;
  creditLine: number;
  equityPaid: number;
  retainedEarnings: number;
  /** Losses that later profits are set off against, for tax. */
  lossCarried: number;
  isInsolvent: boolean;

  // The quarter's, at a year's rate.
  revenue: number;
  ebitda: number;
  /** Net cash out a month, before financing. */
  burn: number;
  valuation: number;
};

/** Everything that is owned. */
export const assetsOf = ({ cash, receivables, inventory, plant }: CompanyState): number =>
  cash + receivables + inventory + plant;

/** Everything that is owed. */
export const liabilitiesOf = ({ payables, arrears, debt, creditDrawn }: CompanyState): number =>
  payables + arrears + debt + creditDrawn;

export const equityOf = ({ equityPaid, retainedEarnings }: CompanyState): number =>
  equityPaid + retainedEarnings;

/**
 * What percentages of spending are of, per year: the revenue of the quarter before, or the wages
 * where they are more, as long as a young company sells little.
 */
export const budgetOf = ({ revenue, rookies, experts, wage }: CompanyState): number =>
  Math.max(revenue, (rookies + experts) * wage);

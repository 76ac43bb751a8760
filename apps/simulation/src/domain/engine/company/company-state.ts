import type { SectorName } from './sector.ts';

/**
 * A company at the end of a quarter: stocks, policies, and the quarter's figures at a yearly rate.
 * Money is in the caller's currency.
 */
export type CompanyState = {
  sector: SectorName;
  /** Steps of money, of prices and of customers (see `fix`). */
  moneyScale: number;
  priceScale: number;
  unitScale: number;

  // Products, customers and rivals.
  /** Price of one customer's yearly purchase. */
  price: number;
  /** Price of rivals for the same purchase. */
  marketPrice: number;
  /** Customers served in the quarter; revenue per year = price × customers. */
  customers: number;
  /** Customers of the whole market. */
  marketCustomers: number;
  /** Share of the market's customers who want to buy here; 0 to 1. */
  marketShare: number;
  /** Unfilled orders, in customers. */
  backlog: number;
  /**
   * Percent of customers that leave in a quarter at the rivals' price and with all demand served.
   */
  usualChurnPct: number;
  /** Part of the offered demand that was not served in the quarter; 0 to 1. */
  serviceGap: number;
  /** 1 for a usual company of its size. */
  brand: number;
  quality: number;
  /** Attraction of all rivals; this company has 1 at its usual brand, quality and price. */
  rivals: number;
  /** Quarterly spending that maintains brand and quality at 1, as parts of the yearly market. */
  usualMarketing: number;
  usualRd: number;
  concentration: number;
  /** Scale of the company's own random change of share in a quarter. */
  volatility: number;

  // Staff and capacity.
  employees: number;
  rookies: number;
  experts: number;
  wage: number;
  /** 1 at turn 0; grows with technology. */
  productivity: number;
  /** Customers that it can serve. */
  capacity: number;
  capacityAtStart: number;
  labourAtStart: number;
  plantAtStart: number;

  // Costs.
  /** Direct cost of one customer's yearly purchase. */
  unitCost: number;
  /** Per year. */
  overhead: number;
  /** Part of the overhead of turn 0 that cost programs have left. */
  overheadLeft: number;
  marketingPct: number;
  rdPct: number;
  capexPct: number;
  /** Number of new markets, and quarters left until the last one is entered. */
  marketsEntered: number;
  entryQuarters: number;

  // Accounts.
  cash: number;
  receivables: number;
  inventory: number;
  plant: number;
  payables: number;
  /** Due payments that could not be made. */
  arrears: number;
  debt: number;
  creditDrawn: number;
  creditLine: number;
  equityPaid: number;
  retainedEarnings: number;
  /** Losses that reduce the tax of later profits. */
  lossCarried: number;
  isInsolvent: boolean;

  // The quarter's figures at a yearly rate.
  revenue: number;
  ebitda: number;
  /** Net cash outflow per month before financing. */
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
 * Returns the yearly base of spending percentages: the revenue of the last quarter, or the wages if
 * they are higher, as in a young company.
 */
export const budgetOf = ({ revenue, rookies, experts, wage }: CompanyState): number =>
  Math.max(revenue, (rookies + experts) * wage);

import type { SectorName } from './sector.ts';

/**
 * A company at the end of a quarter: its stocks, its policies, and the results of that quarter.
 * Money is in the caller's currency.
 */
export type CompanyState = {
  sector: SectorName;
  moneyScale: number;
  priceScale: number;
  unitScale: number;

  /** Money that one customer pays per year. */
  price: number;
  marketPrice: number;
  /** Customers served in the quarter; the annual revenue is `price` × `customers`. */
  customers: number;
  marketCustomers: number;
  /** Share of all customers in the market who want to buy from this company, from 0 to 1. */
  marketShare: number;
  backlog: number;
  /**
   * Percent of customers lost per quarter if the company charges the rivals' price and serves all
   * demand.
   */
  usualChurnPct: number;
  /** Share of the quarter's demand that was not served, from 0 to 1. */
  serviceGap: number;
  /**
   * Index of the brand; 1 is usual for a company of this size and sector. `quality` has the same
   * scale.
   */
  brand: number;
  quality: number;
  /**
   * Attraction of all rivals together. The company's own attraction is 1 at usual brand and quality
   * and the rivals' price.
   */
  rivals: number;
  /**
   * Quarterly marketing spending that keeps `brand` at 1, as a share of the annual market size.
   * `usualRd` is the same for R&D spending and `quality`.
   */
  usualMarketing: number;
  usualRd: number;
  concentration: number;
  /** Scale of the random change of the company's market share per quarter. */
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
  /** Share of the initial overhead that remains after the cost programs so far, from 0 to 1. */
  overheadLeft: number;
  marketingPct: number;
  rdPct: number;
  capexPct: number;
  /**
   * Number of additional markets, including one whose entry is not yet complete. `entryQuarters` is
   * the number of quarters until that entry is complete.
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

  // Results of the quarter. `revenue` and `ebitda` are annual rates; `burn` is per month.
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
 * Returns the value that is left for the owners: the valuation, or nothing if the company cannot
 * pay what is due. The bounds of levers use the valuation itself, so that new owners can pay in.
 */
export const ownersValueOf = ({ valuation, isInsolvent }: Readonly<CompanyState>): number =>
  isInsolvent ? 0 : valuation;

/**
 * Returns the annual amount of which spending percentages are taken: the last quarter's revenue as
 * an annual rate, or the annual wages if they are higher, as in a young company.
 */
export const budgetOf = ({ revenue, rookies, experts, wage }: CompanyState): number =>
  Math.max(revenue, (rookies + experts) * wage);

/**
 * Returns a mutable copy. It lists every field for speed: all copies then have the same hidden
 * class, whereas after a spread copy of parsed JSON a forecast takes more than twice as long.
 */
export const copyCompany = (company: Readonly<CompanyState>): CompanyState => ({
  sector: company.sector,
  moneyScale: company.moneyScale,
  priceScale: company.priceScale,
  unitScale: company.unitScale,
  price: company.price,
  marketPrice: company.marketPrice,
  customers: company.customers,
  marketCustomers: company.marketCustomers,
  marketShare: company.marketShare,
  backlog: company.backlog,
  usualChurnPct: company.usualChurnPct,
  serviceGap: company.serviceGap,
  brand: company.brand,
  quality: company.quality,
  rivals: company.rivals,
  usualMarketing: company.usualMarketing,
  usualRd: company.usualRd,
  concentration: company.concentration,
  volatility: company.volatility,
  employees: company.employees,
  rookies: company.rookies,
  experts: company.experts,
  wage: company.wage,
  productivity: company.productivity,
  capacity: company.capacity,
  capacityAtStart: company.capacityAtStart,
  labourAtStart: company.labourAtStart,
  plantAtStart: company.plantAtStart,
  unitCost: company.unitCost,
  overhead: company.overhead,
  overheadLeft: company.overheadLeft,
  marketingPct: company.marketingPct,
  rdPct: company.rdPct,
  capexPct: company.capexPct,
  marketsEntered: company.marketsEntered,
  entryQuarters: company.entryQuarters,
  cash: company.cash,
  receivables: company.receivables,
  inventory: company.inventory,
  plant: company.plant,
  payables: company.payables,
  arrears: company.arrears,
  debt: company.debt,
  creditDrawn: company.creditDrawn,
  creditLine: company.creditLine,
  equityPaid: company.equityPaid,
  retainedEarnings: company.retainedEarnings,
  lossCarried: company.lossCarried,
  isInsolvent: company.isInsolvent,
  revenue: company.revenue,
  ebitda: company.ebitda,
  burn: company.burn,
  valuation: company.valuation,
});

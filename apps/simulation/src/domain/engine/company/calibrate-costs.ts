import { refuse } from '../open-invalid-fields.ts';
import { show } from './outline-company.ts';
import type { Assume, CompanyOutline } from './outline-company.ts';
import type { Sector } from './sector.ts';

/** Costs that grow with sales: a share of revenue, and percentages of the budget (`budgetOf`). */
type Spending = {
  readonly directShare: number;
  readonly marketingPct: number;
  readonly rdPct: number;
  readonly capexPct: number;
};

/** Costs that result in the given or usual burn. Money is per year, burn per month. */
export type Costs = Spending & {
  readonly wage: number;
  readonly overhead: number;
  readonly burn: number;
};

const TAX = 0.21;
const OVERHEAD_MIN = 0.02;
/** Minimum of overhead as a share of wages, for companies with little revenue. */
const OVERHEAD_OF_WAGES = 0.1;
const [WAGE_MIN, SPENDING_MIN] = [0.1, 0.05] as const;
const USUAL_RATE = 7;

/**
 * Computes the overhead that results in the burn; all other costs are given or usual. Throws
 * INVALID_REQUEST if there is no such overhead.
 */
export const calibrateCosts = (outline: CompanyOutline, sector: Sector, assume: Assume): Costs => {
  const { revenue, employees, wage, figures } = outline;
  const spending = usualSpending(figures, sector);
  const others = otherFlows(outline, spending, sector);
  if (figures.burn === undefined) {
    const wages = employees * wage;
    const overhead = Math.max(sector.overheadShare * revenue, OVERHEAD_OF_WAGES * wages);
    assumeWage(outline, assume);
    const burn = -afterTax(others.margin - wages - overhead, others) / 12;
    assume(
      burn > 0
        ? `Burn is taken as ${show(burn)} a month, from the usual costs of the sector.`
        : `Burn is taken as ${show(burn)}: at the usual costs, cash comes in.`,
    );
    return { ...spending, wage, overhead, burn };
  }
  const { burn } = figures;
  if (burn < 0) assume(`A burn of ${show(burn)} is read as ${show(-burn)} of net cash in a month.`);
  const left = others.margin - beforeTax(-12 * burn, others);
  return { ...spending, ...shareOut(left, outline, spending, assume), burn };
};

const usualSpending = (figures: CompanyOutline['figures'], sector: Sector): Spending => {
  const margin = figures.grossMarginPct;
  return {
    directShare: margin === undefined ? sector.directCostShare : 1 - margin / 100,
    marketingPct: figures.marketingPct ?? sector.marketingPct,
    rdPct: figures.rdPct ?? sector.rdPct,
    capexPct: figures.capexPct ?? sector.capexPct,
  };
};

type Others = {
  readonly margin: number;
  /** Taxable income without cash flow: investment less depreciation. */
  readonly untaxed: number;
};

const otherFlows = (
  { revenue, employees, wage, figures }: CompanyOutline,
  { directShare, marketingPct, rdPct, capexPct }: Spending,
  sector: Sector,
): Others => {
  const budget = Math.max(revenue, employees * wage) / 100;
  const interest = ((figures.debt ?? 0) * USUAL_RATE) / 100;
  const depreciation = (figures.plant ?? sector.plantShare * revenue) * sector.depreciation;
  const spent = (marketingPct + rdPct + capexPct) * budget;
  return {
    margin: revenue * (1 - directShare) - spent - interest,
    untaxed: capexPct * budget - depreciation,
  };
};

const afterTax = (cash: number, { untaxed }: Others): number =>
  cash - TAX * Math.max(0, cash + untaxed);

const beforeTax = (net: number, { untaxed }: Others): number => {
  const taxed = (net + TAX * untaxed) / (1 - TAX);
  return taxed + untaxed > 0 ? taxed : net;
};

const assumeWage = ({ wage, wageWhy, figures }: CompanyOutline, assume: Assume): void => {
  if (figures.wage === undefined) {
    assume(`An employee is taken to cost ${show(wage)} a year${wageWhy}.`);
  }
};

type Shares = Pick<Costs, 'wage' | 'overhead'> & Partial<Spending>;

const shareOut = (
  left: number,
  outline: CompanyOutline,
  spending: Spending,
  assume: Assume,
): Shares => {
  const { revenue, employees, wage, figures } = outline;
  const least = OVERHEAD_MIN * revenue;
  const overhead = left - employees * wage;
  if (overhead >= least) {
    assumeWage(outline, assume);
    assume(`Overhead is taken as ${show(overhead)} a year: what explains the burn.`);
    return { wage, overhead };
  }
  const paid = (left - least) / employees;
  if (figures.wage === undefined && paid >= WAGE_MIN * wage) {
    assume(`An employee is taken to cost ${show(paid)} a year: what explains the burn.`);
    return { wage: paid, overhead: least };
  }
  const saved = figures.wage === undefined ? undefined : save(least - overhead, outline, spending);
  if (saved === undefined) throw contradiction(paid);
  assumeWage(outline, assume);
  assume('Other costs are taken as lower than usual for the sector: what explains the burn.');
  return { wage, overhead: least, ...saved };
};

/**
 * Reduces all costs that were not given by the same factor. Returns undefined if this is not
 * enough.
 */
const save = (
  missing: number,
  { revenue, employees, wage, figures }: CompanyOutline,
  usual: Spending,
): Spending | undefined => {
  const budget = Math.max(revenue, employees * wage) / 100;
  const direct = figures.grossMarginPct === undefined ? usual.directShare * revenue : 0;
  const open = (['marketingPct', 'rdPct', 'capexPct'] as const).filter(
    (name) => figures[name] === undefined,
  );
  const saveable = direct + open.reduce((sum, name) => sum + usual[name] * budget, 0);
  const part = 1 - missing / saveable;
  if (!(part >= SPENDING_MIN)) return undefined;
  return {
    ...usual,
    ...Object.fromEntries(open.map((name) => [name, usual[name] * part])),
    directShare: direct === 0 ? usual.directShare : usual.directShare * part,
  };
};

const contradiction = (paid: number): Error =>
  refuse(
    'companyBase.burn',
    'contradicts the rest: at this revenue and these costs, ' +
      `${show(paid)} a year would remain for each employee. Correct burn (net cash out a ` +
      'month), revenue (a year), employees or wage',
  );

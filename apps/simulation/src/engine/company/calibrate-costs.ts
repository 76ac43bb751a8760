import { invalidFieldError } from '../create-invalid-fields.ts';
import { formatNumber } from './outline-company.ts';
import type { RecordAssumption, CompanyOutline } from './outline-company.ts';
import type { Sector } from './sector.ts';

/**
 * Direct costs as a share of revenue, and the other variable costs in percent of the annual amount
 * that `budgetOf` returns.
 */
type Spending = {
  readonly directShare: number;
  readonly marketingPct: number;
  readonly rdPct: number;
  readonly capexPct: number;
};

/**
 * Costs of a company at turn 0 and the burn that they result in. Money is per year, burn per month.
 */
export type Costs = Spending & {
  readonly wage: number;
  readonly overhead: number;
  readonly burn: number;
};

const TAX = 0.21;
const OVERHEAD_MIN = 0.02;
/** Minimum of the usual overhead as a share of wages, for companies with little revenue. */
const OVERHEAD_OF_WAGES = 0.1;
const [WAGE_MIN, SPENDING_MIN] = [0.1, 0.05] as const;
const USUAL_RATE = 7;

/**
 * Returns the costs of a company at turn 0. Figures that were given are used, the others are usual
 * for the sector. If the burn is given, overhead is chosen to result in it. If the overhead would
 * be too low, the wage is lowered or, if the wage was given, the spending that was not given.
 * Throws INVALID_REQUEST if that would lower them too far.
 */
export const calibrateCosts = (
  outline: CompanyOutline,
  sector: Sector,
  recordAssumption: RecordAssumption,
): Costs => {
  const { revenue, employees, wage, figures } = outline;
  const spending = usualSpending(figures, sector);
  const flowsBeforePayrollAndOverhead = computeFlowsBeforePayrollAndOverhead(
    outline,
    spending,
    sector,
  );
  if (figures.burn === undefined) {
    const wages = employees * wage;
    const overhead = Math.max(sector.overheadShare * revenue, OVERHEAD_OF_WAGES * wages);
    recordAssumedWage(outline, recordAssumption);
    const burn =
      -afterTax(
        flowsBeforePayrollAndOverhead.margin - wages - overhead,
        flowsBeforePayrollAndOverhead,
      ) / 12;
    recordAssumption(
      burn > 0
        ? `Burn is taken as ${formatNumber(burn)} a month, from the usual costs of the sector.`
        : `Burn is taken as ${formatNumber(burn)}: at the usual costs, cash comes in.`,
    );
    return { ...spending, wage, overhead, burn };
  }
  const { burn } = figures;
  if (burn < 0)
    recordAssumption(
      `A burn of ${formatNumber(burn)} is read as ${formatNumber(-burn)} of net cash in a month.`,
    );
  const total =
    flowsBeforePayrollAndOverhead.margin - beforeTax(-12 * burn, flowsBeforePayrollAndOverhead);
  return {
    ...spending,
    ...splitWagesAndOverhead(total, outline, spending, recordAssumption),
    burn,
  };
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

type FlowsBeforePayrollAndOverhead = {
  readonly margin: number;
  /** Difference between taxable income and cash flow: investment less depreciation. */
  readonly nonCashIncome: number;
};

const computeFlowsBeforePayrollAndOverhead = (
  { revenue, employees, wage, figures }: CompanyOutline,
  { directShare, marketingPct, rdPct, capexPct }: Spending,
  sector: Sector,
): FlowsBeforePayrollAndOverhead => {
  const budget = Math.max(revenue, employees * wage) / 100;
  const interest = ((figures.debt ?? 0) * USUAL_RATE) / 100;
  const depreciation = (figures.plant ?? sector.plantShare * revenue) * sector.depreciation;
  const discretionarySpending = (marketingPct + rdPct + capexPct) * budget;
  return {
    margin: revenue * (1 - directShare) - discretionarySpending - interest,
    nonCashIncome: capexPct * budget - depreciation,
  };
};

const afterTax = (cash: number, { nonCashIncome }: FlowsBeforePayrollAndOverhead): number =>
  cash - TAX * Math.max(0, cash + nonCashIncome);

const beforeTax = (net: number, { nonCashIncome }: FlowsBeforePayrollAndOverhead): number => {
  const grossCash = (net + TAX * nonCashIncome) / (1 - TAX);
  return grossCash + nonCashIncome > 0 ? grossCash : net;
};

const recordAssumedWage = (
  { wage, wageReason, figures }: CompanyOutline,
  recordAssumption: RecordAssumption,
): void => {
  if (figures.wage === undefined) {
    recordAssumption(`An employee is taken to cost ${formatNumber(wage)} a year${wageReason}.`);
  }
};

type SplitCosts = Pick<Costs, 'wage' | 'overhead'> & Partial<Spending>;

const splitWagesAndOverhead = (
  total: number,
  outline: CompanyOutline,
  spending: Spending,
  recordAssumption: RecordAssumption,
): SplitCosts => {
  const { revenue, employees, wage, figures } = outline;
  const minOverhead = OVERHEAD_MIN * revenue;
  const overhead = total - employees * wage;
  if (overhead >= minOverhead) {
    recordAssumedWage(outline, recordAssumption);
    recordAssumption(
      `Overhead is taken as ${formatNumber(overhead)} a year: what explains the burn.`,
    );
    return { wage, overhead };
  }
  const affordableWage = (total - minOverhead) / employees;
  if (figures.wage === undefined && affordableWage >= WAGE_MIN * wage) {
    recordAssumption(
      `An employee is taken to cost ${formatNumber(affordableWage)} a year: ` +
        'what explains the burn.',
    );
    return { wage: affordableWage, overhead: minOverhead };
  }
  const reducedSpending =
    figures.wage === undefined
      ? undefined
      : reduceSpending(minOverhead - overhead, outline, spending);
  if (reducedSpending === undefined) throw contradictionError(affordableWage);
  recordAssumedWage(outline, recordAssumption);
  recordAssumption(
    'Other costs are taken as lower than usual for the sector: what explains the burn.',
  );
  return { wage, overhead: minOverhead, ...reducedSpending };
};

/**
 * Reduces those of the direct costs and spending percentages that the caller did not give by the
 * same factor, so that they save `shortfall`. Returns undefined if less than 5 % of them would
 * remain.
 */
const reduceSpending = (
  shortfall: number,
  { revenue, employees, wage, figures }: CompanyOutline,
  usual: Spending,
): Spending | undefined => {
  const budget = Math.max(revenue, employees * wage) / 100;
  const direct = figures.grossMarginPct === undefined ? usual.directShare * revenue : 0;
  const assumedNames = (['marketingPct', 'rdPct', 'capexPct'] as const).filter(
    (name) => figures[name] === undefined,
  );
  const reducible = direct + assumedNames.reduce((sum, name) => sum + usual[name] * budget, 0);
  const factor = 1 - shortfall / reducible;
  if (!(factor >= SPENDING_MIN)) return undefined;
  return {
    ...usual,
    ...Object.fromEntries(assumedNames.map((name) => [name, usual[name] * factor])),
    directShare: direct === 0 ? usual.directShare : usual.directShare * factor,
  };
};

const contradictionError = (affordableWage: number): Error =>
  invalidFieldError(
    'companyBase.burn',
    'contradicts the rest: at this revenue and these costs, ' +
      `${formatNumber(affordableWage)} a year would remain for each employee. ` +
      'Correct burn (net cash out a month), revenue (a year), employees or wage',
  );

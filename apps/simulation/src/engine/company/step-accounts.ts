import * as exactMath from '../number/exact-math.ts';
import { override } from '../world/climate.ts';
import type { DraftTurn } from '../turn/draft-turn.ts';
import { assetsOf, budgetOf, liabilitiesOf } from './company-state.ts';
import type { CompanyState } from './company-state.ts';

// A constant of this module is faster than an imported one, which V8 checks at each use.
const { roundToScale, INDEX_SCALE, PERCENT, PERCENT_PER_YEAR } = exactMath;

const TAX_RATE = 21;
/**
 * Credit spread over the bill rate in percentage points: its base, and its increase at a leverage
 * of 1.
 */
const [SPREAD, SPREAD_LEVERAGE] = [2, 6] as const;
const ENTRY_COST = 0.08;
const PROGRAM_COST = 0.5;
/** Share of quarterly revenue that stays as cash when a surplus repays the credit line. */
const CASH_BUFFER = 0.05;
/** Factor that converts a quarterly flow to a daily one. */
const PER_DAY = 4 / 365;
const [OVERHEAD_MAX, COST_MAX] = [1e30, 1e24] as const;

/**
 * Updates profit and loss, cash and balance sheet of the quarter. Rounds each flow before adding
 * it, so that the accounts balance.
 */
export const stepAccounts = (draft: DraftTurn, severance: number): void => {
  recordCosts(draft, severance);
  recordProfit(draft);
  const financing = recordCash(draft);
  settle(draft, financing);
  recordValuation(draft);
};

const recordCosts = (draft: DraftTurn, severance: number): void => {
  const { company, levers, shock, flows, inflation } = draft;
  const { moneyScale } = company;
  const saved = levers.costProgram * PERCENT;
  const savings = company.overhead * saved;
  company.overhead = roundToScale(
    Math.min(OVERHEAD_MAX, (company.overhead - savings) * inflation),
    moneyScale,
  );
  if (saved > 0)
    company.overheadLeft = roundToScale(company.overheadLeft * (1 - saved), INDEX_SCALE);
  company.unitCost = roundToScale(
    Math.min(COST_MAX, company.unitCost * inflation),
    company.priceScale,
  );

  const unitCost = company.unitCost + company.price * shock.directCostPct * PERCENT;
  flows.directCosts = roundToScale(company.customers * unitCost * 0.25, moneyScale);
  flows.wages = roundToScale((company.rookies + company.experts) * company.wage * 0.25, moneyScale);
  const addedOverhead = flows.revenue * shock.overheadPct * PERCENT;
  flows.overhead = roundToScale(company.overhead * 0.25 + addedOverhead, moneyScale);
  const entry = company.entryQuarters > 0 ? ENTRY_COST * flows.revenue : 0;
  if (company.entryQuarters > 0) company.entryQuarters -= 1;
  const incident = flows.revenue * shock.oneOffCostPct * PERCENT;
  flows.oneOffs = roundToScale(severance + entry + PROGRAM_COST * savings + incident, moneyScale);
};

const recordProfit = ({ company, sector, world, shock, climate, flows }: DraftTurn): void => {
  const { moneyScale } = company;
  const totalSpending =
    flows.directCosts + flows.wages + flows.marketing + flows.rd + flows.overhead + flows.oneOffs;
  flows.ebitda = roundToScale(flows.revenue - totalSpending, moneyScale);
  flows.depreciation = roundToScale(company.plant * sector.depreciation * 0.25, moneyScale);
  const owed = company.debt + company.creditDrawn;
  const assets = assetsOf(company);
  const leverage = owed === 0 ? 0 : owed / Math.max(assets, owed);
  const rate = world.interestRate + SPREAD + SPREAD_LEVERAGE * leverage + shock.creditSpread;
  flows.interest = owed === 0 ? 0 : roundToScale(owed * rate * PERCENT_PER_YEAR, moneyScale);
  const pretaxIncome = flows.ebitda - flows.depreciation - flows.interest;
  const lossDeducted = Math.max(0, Math.min(pretaxIncome, company.lossCarried));
  const taxRate = override(TAX_RATE, climate.taxRate);
  flows.tax = roundToScale(
    Math.max(0, pretaxIncome - lossDeducted) * taxRate * PERCENT,
    moneyScale,
  );
  const carried = company.lossCarried - lossDeducted + Math.max(0, -pretaxIncome);
  company.lossCarried = roundToScale(carried, moneyScale);
  flows.netIncome = roundToScale(pretaxIncome - flows.tax, moneyScale);
  company.retainedEarnings = roundToScale(company.retainedEarnings + flows.netIncome, moneyScale);
};

const recordCash = ({ company, sector, levers, flows }: DraftTurn): number => {
  const { moneyScale } = company;
  const purchases = flows.directCosts + flows.overhead;
  const receivables = roundToScale(flows.revenue * sector.receivableDays * PER_DAY, moneyScale);
  const inventory = roundToScale(flows.directCosts * sector.inventoryDays * PER_DAY, moneyScale);
  const payables = roundToScale(purchases * sector.payableDays * PER_DAY, moneyScale);
  const workingCapitalRelease =
    company.receivables -
    receivables +
    (company.inventory - inventory) +
    (payables - company.payables);
  company.receivables = receivables;
  company.inventory = inventory;
  company.payables = payables;
  flows.operatingCash = roundToScale(
    flows.netIncome + flows.depreciation + workingCapitalRelease,
    moneyScale,
  );

  const capex = roundToScale(levers.capexPct * budgetOf(company) * PERCENT_PER_YEAR, moneyScale);
  company.plant = roundToScale(company.plant + capex - flows.depreciation, moneyScale);
  flows.investingCash = 0 - capex;

  if (levers.raiseEquity === 0 && levers.debtChange === 0) return 0;
  const equityRaised = roundToScale(levers.raiseEquity, moneyScale);
  company.equityPaid = roundToScale(company.equityPaid + equityRaised, moneyScale);
  const borrowed = roundToScale(levers.debtChange, moneyScale);
  company.debt = roundToScale(company.debt + borrowed, moneyScale);
  return equityRaised + borrowed;
};

/**
 * Covers a deficit from the credit line. If that is not enough, payments become overdue, and the
 * company is insolvent until they are paid. A surplus first pays overdue payments; the part of it
 * above a cash buffer then repays the credit line.
 */
const settle = ({ company, flows }: DraftTurn, financing: number): void => {
  const { moneyScale } = company;
  let cash = company.cash + flows.operatingCash + flows.investingCash + financing - company.arrears;
  flows.withheld = 0;
  flows.financingCash = financing;
  flows.drewCredit = false;
  flows.becameInsolvent = false;
  if (cash >= 0 && company.creditDrawn === 0 && company.arrears === 0) {
    company.cash = roundToScale(cash, moneyScale);
    return;
  }
  let drawn = 0;
  if (cash < 0) {
    drawn = Math.min(-cash, Math.max(0, company.creditLine - company.creditDrawn));
  } else {
    const buffer = CASH_BUFFER * flows.revenue;
    drawn = -Math.min(company.creditDrawn, Math.max(0, cash - buffer));
  }
  drawn = roundToScale(drawn, moneyScale);
  cash = roundToScale(cash + drawn, moneyScale);
  const arrears = cash < 0 ? -cash : 0;
  // The change of overdue payments is part of the operating cash flow; an increase is an inflow.
  flows.withheld = roundToScale(arrears - company.arrears, moneyScale);
  flows.operatingCash = roundToScale(flows.operatingCash + flows.withheld, moneyScale);
  flows.financingCash = roundToScale(financing + drawn, moneyScale);
  company.creditDrawn = roundToScale(company.creditDrawn + drawn, moneyScale);
  company.arrears = arrears;
  company.cash = cash < 0 ? 0 : cash;
  flows.drewCredit = drawn > 0;
  flows.becameInsolvent = arrears > 0 && !company.isInsolvent;
  company.isInsolvent = arrears > 0;
};

const recordValuation = ({ company, sector, flows }: DraftTurn): void => {
  const { moneyScale } = company;
  company.revenue = flows.revenue * 4;
  company.ebitda = flows.ebitda * 4;
  company.burn = roundToScale(
    (flows.withheld - flows.operatingCash - flows.investingCash) / 3,
    moneyScale,
  );
  company.valuation = roundToScale(valuationOf(company, sector.revenueMultiple), moneyScale);
};

/**
 * Returns the revenue times the sector's multiple, plus cash, less all liabilities except payables;
 * at least 0.
 */
export const valuationOf = (company: CompanyState, revenueMultiple: number): number => {
  const owed = liabilitiesOf(company) - company.payables;
  return Math.max(0, company.revenue * revenueMultiple + company.cash - owed);
};

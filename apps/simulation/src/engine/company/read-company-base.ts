import {
  exactExp,
  exactLog,
  roundToScale,
  INDEX_SCALE,
  scaleFor,
  SHARE_SCALE,
} from '../number/exact-math.ts';
import { calibrateCosts } from './calibrate-costs.ts';
import type { Costs } from './calibrate-costs.ts';
import type { CompanyState } from './company-state.ts';
import type { RecordAssumption, CompanyOutline } from './outline-company.ts';
import { SECTORS } from './sector.ts';
import type { Sector } from './sector.ts';
import { valuationOf } from './step-accounts.ts';
import { labourOf } from './step-labour.ts';
import { BRAND_WEIGHT, QUALITY_WEIGHT } from './step-market.ts';
import type { JsonObject } from '@bufbuild/protobuf';
import { readFigures } from './company-figures.ts';
import { outlineCompany } from './outline-company.ts';

const DAYS = 365;
const CREDIT_SHARE = 0.05;
/**
 * Scale of random changes of market share for a company with 100 employees. For others it is
 * multiplied by (employees / 100)^-0.18, so that smaller companies vary more (Amaral et al. 1997).
 */
const VOLATILITY = 0.05;
const VOLATILITY_SIZE = -0.18;
const PLANT_MIN = 0.1;
const INDEX_MIN = 0.02;

/**
 * Returns the company at turn 0. If revenue was given and is not 0, its market share starts in
 * equilibrium.
 */
const openCompany = (outline: CompanyOutline, recordAssumption: RecordAssumption): CompanyState => {
  const sector = SECTORS[outline.sector];
  const costs = calibrateCosts(outline, sector, recordAssumption);
  const { wage, overhead, burn } = costs;
  const moneyScale = Math.max(100, scaleFor(outline.revenue, 9));
  const money = (value: number): number => roundToScale(value, moneyScale);
  const parts = {
    ...openMarket(outline, sector, costs),
    ...openStaff(outline, sector, wage, moneyScale),
    ...openAccounts(outline, sector, { costs, recordAssumption, money }),
  };
  const company: CompanyState = {
    sector: outline.sector,
    moneyScale,
    ...parts,
    overhead: money(overhead),
    overheadLeft: 1,
    marketsEntered: 0,
    entryQuarters: 0,
    arrears: 0,
    creditDrawn: 0,
    lossCarried: 0,
    isInsolvent: false,
    revenue: money(outline.revenue),
    ebitda: 0,
    burn: money(burn),
    valuation: 0,
  };
  company.ebitda = money(ebitdaOf(company));
  company.valuation = money(valuationOf(company, sector.revenueMultiple));
  return company;
};

const openMarket = (
  outline: CompanyOutline,
  sector: Sector,
  { wage, directShare, marketingPct, rdPct, capexPct }: Costs,
) => {
  const { price, customers, marketSize, equilibriumShare, revenue, figures } = outline;
  const budget = Math.max(revenue, outline.employees * wage);
  const priceScale = Math.max(100, scaleFor(price, 9));
  const unitScale = scaleFor(customers, 9);
  const brand = Math.max(INDEX_MIN, marketingPct / sector.marketingPct);
  const quality = Math.max(INDEX_MIN, rdPct / sector.rdPct);
  const attraction = exactExp(BRAND_WEIGHT * exactLog(brand) + QUALITY_WEIGHT * exactLog(quality));
  const usualChurnPct = figures.churnPct ?? sector.churnPct;
  return {
    priceScale,
    unitScale,
    price: roundToScale(price, priceScale),
    marketPrice: roundToScale(price, priceScale),
    customers: roundToScale(customers, unitScale),
    marketCustomers: roundToScale(marketSize / price, unitScale),
    marketShare: roundToScale(revenue / marketSize, SHARE_SCALE),
    backlog: 0,
    usualChurnPct,
    serviceGap: 0,
    brand: roundToScale(brand, INDEX_SCALE),
    quality: roundToScale(quality, INDEX_SCALE),
    rivals: roundToScale((attraction * (1 - equilibriumShare)) / equilibriumShare, INDEX_SCALE),
    usualMarketing: (sector.marketingPct * budget) / 400 / marketSize,
    usualRd: (sector.rdPct * budget) / 400 / marketSize,
    concentration: Math.max(
      figures.concentrationPct === undefined
        ? sector.concentration
        : figures.concentrationPct / 100,
      Math.min(1, 1 / customers),
    ),
    unitCost: roundToScale(price * directShare, priceScale),
    marketingPct,
    rdPct,
    capexPct,
  };
};

const openStaff = (
  { employees, price, revenue, potential, figures }: CompanyOutline,
  sector: Sector,
  wage: number,
  moneyScale: number,
) => {
  // Computed for the steady state, in which every employee who quits is replaced and a quarter of
  // the rookies become experts per quarter.
  const quits = sector.quitPct / 100;
  const rookies = roundToScale((employees * quits) / (1 - 0.75 * (1 - quits)), INDEX_SCALE);
  const experts = roundToScale(employees - rookies, INDEX_SCALE);
  const usualPlant = sector.plantShare * revenue;
  const plantAtStart = Math.max(figures.plant ?? usualPlant, PLANT_MIN * usualPlant);
  const plantRatio = Math.max((figures.plant ?? usualPlant) / plantAtStart, 1e-3);
  const capacity = potential / price / sector.utilisation;
  return {
    employees,
    rookies,
    experts,
    wage: roundToScale(wage, moneyScale),
    productivity: 1,
    capacity,
    capacityAtStart: capacity / exactExp(sector.plantWeight * exactLog(plantRatio)),
    labourAtStart: labourOf(rookies, experts),
    plantAtStart,
    volatility: VOLATILITY * exactExp(VOLATILITY_SIZE * exactLog(employees / 100)),
  };
};

type AccountsInput = {
  readonly costs: Costs;
  readonly recordAssumption: RecordAssumption;
  readonly money: (value: number) => number;
};

const openAccounts = (
  { revenue, figures }: CompanyOutline,
  sector: Sector,
  { costs, recordAssumption, money }: AccountsInput,
) => {
  const { overhead, burn } = costs;
  const directCosts = revenue * costs.directShare;
  const cash = money(figures.cash ?? usualCash(revenue, burn, recordAssumption));
  const receivables = money((revenue * sector.receivableDays) / DAYS);
  const inventory = money((directCosts * sector.inventoryDays) / DAYS);
  const plant = money(figures.plant ?? sector.plantShare * revenue);
  const payables = money(((directCosts + overhead) * sector.payableDays) / DAYS);
  const debt = money(figures.debt ?? 0);
  const equity = money(cash + receivables + inventory + plant - payables - debt);
  const equityPaid = money(Math.max(0, equity - (figures.retainedEarnings ?? 0)));
  const creditLine = money(figures.creditLine ?? CREDIT_SHARE * revenue);
  return {
    cash,
    receivables,
    inventory,
    plant,
    payables,
    debt,
    creditLine,
    equityPaid,
    retainedEarnings: money(equity - equityPaid),
  };
};

const RUNWAY_MONTHS = 18;
const CASH_SHARE = 0.1;

const usualCash = (revenue: number, burn: number, recordAssumption: RecordAssumption): number => {
  if (burn > 0) {
    recordAssumption(`Cash for ${RUNWAY_MONTHS} months of burn is taken.`);
    return RUNWAY_MONTHS * burn;
  }
  recordAssumption(`Cash of ${CASH_SHARE * 100} % of a year's revenue is taken.`);
  return CASH_SHARE * revenue;
};

const ebitdaOf = (company: CompanyState): number => {
  const staff = (company.rookies + company.experts) * company.wage;
  const budget = Math.max(company.revenue, staff);
  const spending = ((company.marketingPct + company.rdPct) / 100) * budget;
  return (
    company.customers * (company.price - company.unitCost) - staff - spending - company.overhead
  );
};

type ReadCompany = {
  readonly company: CompanyState;
  readonly assumptions: readonly string[];
  /**
   * Members of `companyBase` that the engine does not know. They are part of every `companyState`,
   * unless a figure of the engine has the same name.
   */
  readonly unknown: JsonObject;
};

/**
 * Returns the company at turn 0 that `companyBase` describes. Throws INVALID_REQUEST with `param`
 * `companyBase.<key>` if figures are impossible or contradict each other.
 */
export const readCompanyBase = (base: JsonObject): ReadCompany => {
  const statedFigures = readFigures(base);
  const assumptions: string[] = [];
  const assume = (sentence: string): void => void assumptions.push(sentence);
  const company = openCompany(outlineCompany(statedFigures, assume), assume);
  return { company, assumptions, unknown: statedFigures.unknown };
};

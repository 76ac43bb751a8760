import { assetsOf, equityOf, liabilitiesOf, ownersValueOf } from '../company/company-state.ts';
import type { CompanyState } from '../company/company-state.ts';
import { churnOf } from '../company/step-market.ts';
import { roundToScale } from '../number/exact-math.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import type { WorldState } from '../world/world-state.ts';
import { createFlows } from './draft-turn.ts';
import type { Flows, DraftTurn } from './draft-turn.ts';
import type { JsonObject } from '@bufbuild/protobuf';
import { toClimate } from '../world/climate.ts';
import type { EngineState } from './engine-state.ts';
import type { WorldParameters } from '../world/world-parameters.ts';

const RATE_SCALE = 1e6;
const RUNWAY_MONTHS_MAX = 1_200;

/**
 * Returns the company as the API shows it: stocks at the end of the turn, flows as annual rates,
 * burn per month, and members whose names end with `Pct` in percent.
 */
export const showCompany = (company: CompanyState, { quarters, flows }: TurnSums): JsonObject => {
  const { moneyScale } = company;
  const perYear = (flow: number): number => roundToScale((flow * 4) / quarters, moneyScale);
  const money = (value: number): number => roundToScale(value, moneyScale);
  const percent = (part: number, whole: number): number =>
    whole === 0 ? 0 : roundToScale((part / whole) * 100, RATE_SCALE);
  const outflow = flows.withheld - flows.operatingCash - flows.investingCash;
  const burn = money(outflow / (3 * quarters));
  const runway = burn > 0 ? Math.min(RUNWAY_MONTHS_MAX, company.cash / burn) : null;
  return {
    sector: company.sector,
    revenue: perYear(flows.revenue),
    employees: company.employees,
    burn,
    runwayMonths: runway === null ? null : roundToScale(runway, 10),
    cash: company.cash,
    price: company.price,
    customers: roundToScale(company.customers, Math.min(company.unitScale, 1e6)),
    marketShare: roundToScale(company.marketShare, 1e9),
    churnPct: roundToScale(churnOf(company), RATE_SCALE),
    backlog: company.backlog,
    brand: roundToScale(company.brand, RATE_SCALE),
    quality: roundToScale(company.quality, RATE_SCALE),
    wage: company.wage,
    productivity: roundToScale(company.productivity, RATE_SCALE),
    capacity: company.capacity,
    utilisationPct: percent(company.customers, company.capacity),
    directCosts: perYear(flows.directCosts),
    grossMarginPct: percent(flows.revenue - flows.directCosts, flows.revenue),
    wages: perYear(flows.wages),
    marketing: perYear(flows.marketing),
    rd: perYear(flows.rd),
    overhead: perYear(flows.overhead),
    oneOffs: perYear(flows.oneOffs),
    ebitda: perYear(flows.ebitda),
    ebitdaMarginPct: percent(flows.ebitda, flows.revenue),
    depreciation: perYear(flows.depreciation),
    interest: perYear(flows.interest),
    tax: perYear(flows.tax),
    netIncome: perYear(flows.netIncome),
    operatingCashFlow: perYear(flows.operatingCash),
    investingCashFlow: perYear(flows.investingCash),
    financingCashFlow: perYear(flows.financingCash),
    receivables: company.receivables,
    inventory: company.inventory,
    plant: company.plant,
    assets: money(assetsOf(company)),
    payables: company.payables,
    arrears: company.arrears,
    debt: company.debt,
    creditDrawn: company.creditDrawn,
    creditLine: company.creditLine,
    liabilities: money(liabilitiesOf(company)),
    equityPaid: company.equityPaid,
    retainedEarnings: company.retainedEarnings,
    equity: money(equityOf(company)),
    valuation: ownersValueOf(company),
    marketingPct: company.marketingPct,
    rdPct: company.rdPct,
    capexPct: company.capexPct,
    marketsEntered: company.marketsEntered,
    insolvent: company.isInsolvent,
  };
};

/**
 * Returns the company of a state that no turn has led to, as the API shows it, but without the
 * flows that only a turn gives, such as tax.
 */
export const showOpening = ({ company }: EngineState): JsonObject => {
  const flows = {
    ...zeros(FLOW_NAMES),
    revenue: company.revenue / 4,
    directCosts: (company.customers * company.unitCost) / 4,
    ebitda: company.ebitda / 4,
    operatingCash: -3 * company.burn,
  };
  const shown = showCompany(company, { quarters: 1, flows, rates: zeros(RATE_NAMES) });
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !TURN_FIGURES.has(name)));
};

const TURN_FIGURES: ReadonlySet<string> = new Set([
  ...['wages', 'marketing', 'rd', 'overhead', 'oneOffs', 'depreciation', 'interest', 'tax'],
  ...['netIncome', 'operatingCashFlow', 'investingCashFlow', 'financingCashFlow'],
]);

/**
 * Returns the world as the API shows it: growth, inflation, interest and wage rates are averages
 * over the turn in percent per year; other figures are those at its end.
 */
export const showWorld = (
  world: WorldState,
  { quarters, rates }: TurnSums,
  company: CompanyState,
): JsonObject => {
  const average = (rate: number): number => roundToScale(rate / quarters, RATE_SCALE);
  const running = world.running.flatMap((quartersLeft, index) =>
    quartersLeft > 0 ? [[EVENT_CODES[index]!, quartersLeft] as const] : [],
  );
  return {
    gdpGrowth: average(rates.gdpGrowth),
    inflationRate: average(rates.inflationRate),
    interestRate: average(rates.interestRate),
    sectorGrowth: average(rates.sectorGrowth),
    wageGrowth: average(rates.wageGrowth),
    unemployment: roundToScale(world.unemployment, RATE_SCALE),
    priceLevel: roundToScale(world.priceLevel, RATE_SCALE),
    marketSize: roundToScale(company.marketCustomers * company.marketPrice, company.moneyScale),
    marketPrice: company.marketPrice,
    runningEvents: Object.fromEntries(running),
  };
};

type TurnSums = {
  quarters: number;
  readonly flows: Record<FlowName, number>;
  readonly rates: Record<RateName, number>;
};

type FlowName = Exclude<keyof Flows, 'drewCredit' | 'becameInsolvent'>;
const FLOW_NAMES = Object.entries(createFlows()).flatMap(([name, value]) =>
  typeof value === 'number' ? [name as FlowName] : [],
);

const RATE_NAMES = [
  'gdpGrowth',
  'inflationRate',
  'interestRate',
  'sectorGrowth',
  'wageGrowth',
] as const;
type RateName = (typeof RATE_NAMES)[number];

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

export const createTurnSums = (): TurnSums => ({
  quarters: 0,
  flows: zeros(FLOW_NAMES),
  rates: zeros(RATE_NAMES),
});

export const addQuarter = (sums: TurnSums, { flows, world }: DraftTurn): void => {
  sums.quarters += 1;
  for (const name of FLOW_NAMES) sums.flows[name] += flows[name];
  for (const name of RATE_NAMES) sums.rates[name] += world[name];
};

const QUARTERS_PER_YEAR = 4;

/**
 * Returns the year-over-year inflation in percent, which is displayed because the annualized rate
 * of a single quarter is too volatile. Returns undefined, so that the annualized rate is displayed,
 * if parameters set the rate in this turn or if no state in `earlier` is from the year before
 * `after`. If none of those is exactly a year old, prices before the oldest are assumed to have
 * risen at its average rate since turn 0, or at the initial rate if the oldest is turn 0.
 */
export const showInflation = (
  after: EngineState,
  earlier: readonly EngineState[],
  { parameters, turn }: { parameters: WorldParameters; turn: number },
): number | undefined => {
  if (toClimate(parameters, turn).inflationRate?.mode === 'set') return undefined;
  const yearAgoQuarter = after.quarter - QUARTERS_PER_YEAR;
  const [oldest] = earlier
    .filter(({ quarter }) => quarter >= yearAgoQuarter && quarter < after.quarter)
    .toSorted((a, b) => a.quarter - b.quarter);
  if (!oldest) return undefined;
  const yearAgo = oldest.world.priceLevel / growthOf(oldest) ** (oldest.quarter - yearAgoQuarter);
  return roundToScale((after.world.priceLevel / yearAgo - 1) * 100, RATE_SCALE);
};

const growthOf = ({ quarter, world }: EngineState): number =>
  quarter === 0 ? 1 + world.inflationRate / 400 : world.priceLevel ** (1 / quarter);

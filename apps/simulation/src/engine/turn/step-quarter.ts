import { assetsOf, equityOf, liabilitiesOf } from '../company/company-state.ts';
import type { CompanyState } from '../company/company-state.ts';
import type { DraftTurn } from './draft-turn.ts';
import { stepAccounts } from '../company/step-accounts.ts';
import { stepCapacity, stepLabour } from '../company/step-labour.ts';
import { serveDemand, stepMarket } from '../company/step-market.ts';
import type { Levers } from '../lever/lever.ts';
import { clampLevers } from '../lever/lever.ts';
import { drawMedians, drawQuarter } from '../random/draw-quarter.ts';
import type { RandomSource } from '../random/draw-quarter.ts';
import { KEY_CUSTOMER, stepEvents } from '../world/shock.ts';
import { stepWorld } from '../world/step-world.ts';
import { roundToScale, INDEX_SCALE } from '../number/exact-math.ts';

/** Tolerated relative rounding error of sums of decimal numbers, which are not exact in binary. */
const TOLERANCE = 1e-9;

/** A violated accounting identity or limit. It is always a bug of the model. */
export class InvariantError extends Error {
  constructor(invariant: string, quarter: number) {
    super(`The model broke an invariant in quarter ${quarter}: ${invariant}.`);
    this.name = 'InvariantError';
  }
}

const checkInvariants = (draft: DraftTurn): void => {
  const broken = findBrokenInvariant(draft);
  if (broken !== undefined) throw new InvariantError(broken, draft.quarter);
};

const findBrokenInvariant = ({ company, flows, world }: DraftTurn): string | undefined => {
  const sum = sumOf(company) + world.gdpGrowth + world.inflationRate + world.interestRate;
  if (!Number.isFinite(sum + world.unemployment + world.sectorGrowth + world.wageGrowth)) {
    return 'every number is finite';
  }
  const assets = assetsOf(company);
  const claims = liabilitiesOf(company) + equityOf(company);
  // Liabilities count, too: with a large debt and few assets, the rounding error of the sums may
  // exceed a tolerance that depends on the assets alone.
  const size = assets + liabilitiesOf(company) + Math.abs(company.retainedEarnings);
  if (Math.abs(assets - claims) > TOLERANCE * size) return 'assets = liabilities + equity';
  const cashFlow = flows.operatingCash + flows.investingCash + flows.financingCash;
  const error = TOLERANCE * (size + Math.abs(flows.operatingCash)) + 1 / company.moneyScale;
  if (Math.abs(flows.openingCash + cashFlow - company.cash) > error)
    return 'cash follows from the flows';
  const retained = flows.openingEarnings + flows.netIncome;
  if (Math.abs(retained - company.retainedEarnings) > error) return 'earnings are retained';
  const quarterlySales = (company.customers * company.price) / 4;
  if (
    Math.abs(flows.revenue - quarterlySales) >
    TOLERANCE * quarterlySales + 1 / company.moneyScale
  ) {
    return 'revenue = price x customers';
  }
  if (company.cash < 0) return 'cash >= 0';
  if (company.marketShare < 0 || company.marketShare > 1) return '0 <= market share <= 1';
  if (company.employees < 1 || !Number.isInteger(company.employees)) return 'employees >= 1';
  return undefined;
};

/**
 * Returns a sum of the company's main figures, which is not finite if one of them is not. The
 * partial sums are independent, so that the CPU can add them in parallel.
 */
const sumOf = (company: CompanyState): number => {
  const market = company.price + company.marketPrice + company.customers + company.marketCustomers;
  const position = company.marketShare + company.backlog + company.brand + company.quality;
  const staff = company.rookies + company.experts + company.wage + company.capacity;
  const owned = company.cash + company.receivables + company.inventory + company.plant;
  const liabilities = company.payables + company.arrears + company.debt + company.creditDrawn;
  const equity = company.equityPaid + company.retainedEarnings + company.lossCarried;
  const otherFigures = company.unitCost + company.overhead + company.burn + company.valuation;
  return market + position + (staff + owned) + (liabilities + equity) + otherFigures;
};

const KEY_CUSTOMER_BIT = 1 << KEY_CUSTOMER;

/**
 * Advances `draft` by one quarter: random draws, events, world, staff, market, sales, accounts.
 * Without `random` all shocks are at their median and no event begins. Throws `InvariantError`.
 */
export const stepQuarter = (
  draft: DraftTurn,
  levers: Levers,
  random: RandomSource | undefined,
): void => {
  const { company, world, draws, shock, climate } = draft;
  draft.flows.openingCash = company.cash;
  draft.flows.openingEarnings = company.retainedEarnings;
  clampLevers(draft.levers, levers, company);
  if (random) drawQuarter(draws, random, draft.quarter);
  else drawMedians(draws);
  const { hazards } = climate;
  const eventDraws = { hazards, draws: draws.events, concentration: company.concentration };
  draft.startedEvents = stepEvents(shock, world.running, eventDraws);
  // The company has lost its largest customer, so its revenue depends less on a single one.
  if (draft.startedEvents & KEY_CUSTOMER_BIT) {
    company.concentration = roundToScale(company.concentration / 2, INDEX_SCALE);
  }
  const priceLevel = world.priceLevel;
  stepWorld(world, draws, shock, climate, draft.sector);
  draft.inflation = world.priceLevel / priceLevel;
  draft.quarter += 1;

  const severance = stepLabour(draft);
  stepCapacity(draft);
  stepMarket(draft);
  serveDemand(draft);
  stepAccounts(draft, severance);
  checkInvariants(draft);
};

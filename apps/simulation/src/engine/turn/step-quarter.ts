import { stepAccounts } from '../company/step-accounts.ts';
import { stepCapacity, stepLabour } from '../company/step-labour.ts';
import { serveDemand, stepMarket } from '../company/step-market.ts';
import type { Levers } from '../lever/lever.ts';
import { clampLevers } from '../lever/describe-levers.ts';
import { drawMedians, drawQuarter } from '../random/draw-quarter.ts';
import type { RandomSource } from '../random/draw-quarter.ts';
import { KEY_CUSTOMER, stepEvents } from '../world/shock.ts';
import { stepWorld } from '../world/step-world.ts';
import { checkInvariants } from './check-invariants.ts';
import { roundToScale, INDEX_SCALE } from '../number/fix.ts';
import type { DraftTurn } from './draft-turn.ts';

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

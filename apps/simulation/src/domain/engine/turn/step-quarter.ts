import { stepBooks } from '../company/step-books.ts';
import { stepCapacity, stepLabour } from '../company/step-labour.ts';
import { sell, stepMarket } from '../company/step-market.ts';
import type { Levers } from '../lever/lever.ts';
import { clampLevers } from '../lever/levers-of.ts';
import { drawNothing, drawQuarter } from '../luck/draw-quarter.ts';
import type { Luck } from '../luck/draw-quarter.ts';
import { KEY_CUSTOMER, shake } from '../world/shock.ts';
import { stepWorld } from '../world/step-world.ts';
import { checkInvariants } from './check-invariants.ts';
import { fix, INDEX_SCALE } from '../number/fix.ts';
import type { Workbench } from './workbench.ts';

const KEY_CUSTOMER_BIT = 1 << KEY_CUSTOMER;

/**
 * The one step of the engine's clock, in place: chance, events, world, people, market, sales,
 * books. Without luck it is an ordinary quarter: nothing happens. Throws `InvariantBroken`.
 */
export const stepQuarter = (bench: Workbench, levers: Levers, luck: Luck | undefined): void => {
  const { company, world, draws, shock, climate } = bench;
  bench.flows.openingCash = company.cash;
  bench.flows.openingEarnings = company.retainedEarnings;
  clampLevers(bench.levers, levers, company);
  if (luck) drawQuarter(draws, luck, bench.quarter);
  else drawNothing(draws);
  const { hazards } = climate;
  const onset = { hazards, draws: draws.events, concentration: company.concentration };
  bench.began = shake(shock, world.running, onset);
  // Who is left is more evenly spread.
  if (bench.began & KEY_CUSTOMER_BIT) {
    company.concentration = fix(company.concentration / 2, INDEX_SCALE);
  }
  const priceLevel = world.priceLevel;
  stepWorld(world, draws, shock, climate, bench.sector);
  bench.inflation = world.priceLevel / priceLevel;
  bench.quarter += 1;

  const severance = stepLabour(bench);
  stepCapacity(bench);
  stepMarket(bench);
  sell(bench);
  stepBooks(bench, severance);
  checkInvariants(bench);
};

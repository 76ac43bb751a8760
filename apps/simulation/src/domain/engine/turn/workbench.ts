import type { CompanyState } from '../company/company-state.ts';
import { copyCompany } from '../company/copy-company.ts';
import { createFlows } from '../company/flows.ts';
import type { Flows } from '../company/flows.ts';
import { SECTORS } from '../company/sector.ts';
import type { Sector } from '../company/sector.ts';
import { createLevers } from '../lever/lever.ts';
import type { MutableLevers } from '../lever/lever.ts';
import { createDraws } from '../luck/draw-quarter.ts';
import type { Draws } from '../luck/draw-quarter.ts';
import { createShock } from '../world/shock.ts';
import type { Shock } from '../world/shock.ts';
import type { Climate } from '../world/climate.ts';
import { copyWorld } from '../world/world-state.ts';
import type { WorldState } from '../world/world-state.ts';
import type { EngineState } from './engine-state.ts';

/**
 * Where quarters are played, one after the other, in place: a forecast plays 20,000 of them and
 * must not leave as many states behind. The state that it was opened with stays as it was.
 */
export type Workbench = {
  quarter: number;
  company: CompanyState;
  world: WorldState;
  readonly sector: Sector;
  /** Written anew in every quarter. */
  readonly levers: MutableLevers;
  readonly draws: Draws;
  readonly shock: Shock;
  readonly flows: Flows;
  climate: Climate;
  /** Of the quarter's prices over those of the one before. */
  inflation: number;
  /** Events that began in the quarter: bits, by their place in the catalogue. */
  began: number;
};

export const openWorkbench = (state: EngineState, climate: Climate): Workbench => ({
  quarter: state.quarter,
  company: copyCompany(state.company),
  world: copyWorld(state.world),
  sector: SECTORS[state.company.sector],
  levers: createLevers(),
  draws: createDraws(),
  shock: createShock(),
  flows: createFlows(),
  climate,
  inflation: 1,
  began: 0,
});

/** Back to `state`, on the same bench. */
export const resetWorkbench = (bench: Workbench, state: EngineState): void => {
  bench.quarter = state.quarter;
  bench.company = copyCompany(state.company);
  bench.world = copyWorld(state.world);
};

export const toState = (
  { quarter, company, world }: Workbench,
  before: EngineState,
): EngineState => ({
  modelVersion: before.modelVersion,
  quarter,
  company: copyCompany(company),
  world: copyWorld(world),
});

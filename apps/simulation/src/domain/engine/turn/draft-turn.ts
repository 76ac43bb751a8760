import type { CompanyState } from '../company/company-state.ts';
import { copyCompany } from '../company/copy-company.ts';
import { createFlows } from '../company/flows.ts';
import type { Flows } from '../company/flows.ts';
import { SECTORS } from '../company/sector.ts';
import type { Sector } from '../company/sector.ts';
import { createLevers } from '../lever/lever.ts';
import type { MutableLevers } from '../lever/lever.ts';
import { createDraws } from '../random/draw-quarter.ts';
import type { Draws } from '../random/draw-quarter.ts';
import { createShock } from '../world/shock.ts';
import type { Shock } from '../world/shock.ts';
import type { Climate } from '../world/climate.ts';
import { copyWorld } from '../world/world-state.ts';
import type { WorldState } from '../world/world-state.ts';
import type { EngineState } from './engine-state.ts';

/**
 * The mutable state in which quarters are played one after the other: a forecast plays 20,000
 * quarters and must not allocate a state for each. The state that it was opened with is not
 * changed.
 */
export type DraftTurn = {
  quarter: number;
  company: CompanyState;
  world: WorldState;
  readonly sector: Sector;
  /** Overwritten in every quarter. */
  readonly levers: MutableLevers;
  readonly draws: Draws;
  readonly shock: Shock;
  readonly flows: Flows;
  climate: Climate;
  /** Prices of the quarter relative to those of the quarter before. */
  inflation: number;
  /** Bit set of events that began in the quarter, by index in the catalogue. */
  began: number;
};

export const openDraftTurn = (state: EngineState, climate: Climate): DraftTurn => ({
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

/** Resets the draft to `state`. */
export const resetDraftTurn = (draft: DraftTurn, state: EngineState): void => {
  draft.quarter = state.quarter;
  draft.company = copyCompany(state.company);
  draft.world = copyWorld(state.world);
};

export const toState = (
  { quarter, company, world }: DraftTurn,
  before: EngineState,
): EngineState => ({
  modelVersion: before.modelVersion,
  quarter,
  company: copyCompany(company),
  world: copyWorld(world),
});

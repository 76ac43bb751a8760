import type { CompanyState } from '../company/company-state.ts';
import { copyCompany } from '../company/company-state.ts';
import { SECTORS } from '../company/sector.ts';
import type { Sector } from '../company/sector.ts';
import { defaultLevers } from '../lever/lever.ts';
import type { MutableLevers } from '../lever/lever.ts';
import { createDraws } from '../random/draw-quarter.ts';
import type { Draws } from '../random/draw-quarter.ts';
import { createShock } from '../world/event-catalogue.ts';
import type { Shock } from '../world/event-catalogue.ts';
import type { Climate } from '../world/climate.ts';
import { copyWorld } from '../world/world-state.ts';
import type { WorldState } from '../world/world-state.ts';
import { MODEL_VERSION } from './engine-state.ts';
import type { EngineState } from './engine-state.ts';

/**
 * Mutable state for playing quarters in sequence, because a forecast plays thousands of quarters
 * and must not allocate a state for each. The state from which it is opened is copied.
 */
export type DraftTurn = {
  quarter: number;
  company: CompanyState;
  world: WorldState;
  readonly sector: Sector;
  readonly levers: MutableLevers;
  readonly draws: Draws;
  readonly shock: Shock;
  readonly flows: Flows;
  climate: Climate;
  inflation: number;
  /** Bit set of the events that began in the quarter. Bit n belongs to EVENT_LIST[n]. */
  startedEvents: number;
};

export const openDraftTurn = (state: EngineState, climate: Climate): DraftTurn => ({
  quarter: state.quarter,
  company: copyCompany(state.company),
  world: copyWorld(state.world),
  sector: SECTORS[state.company.sector],
  levers: { ...defaultLevers(state.company) },
  draws: createDraws(),
  shock: createShock(),
  flows: createFlows(),
  climate,
  inflation: 1,
  startedEvents: 0,
});

export const resetDraftTurn = (draft: DraftTurn, state: EngineState): void => {
  draft.quarter = state.quarter;
  draft.company = copyCompany(state.company);
  draft.world = copyWorld(state.world);
};

export const toState = ({ quarter, company, world }: DraftTurn): EngineState => ({
  modelVersion: MODEL_VERSION,
  quarter,
  company: copyCompany(company),
  world: copyWorld(world),
});

/**
 * Creates the profit and loss and the cash flows of one quarter, in the caller's currency. Every
 * amount is 0.
 */
export const createFlows = () => ({
  openingCash: 0,
  openingEarnings: 0,
  revenue: 0,
  directCosts: 0,
  wages: 0,
  marketing: 0,
  rd: 0,
  overhead: 0,
  /** Costs of market entries, cost programs, dismissals and incidents in this quarter. */
  oneOffs: 0,
  ebitda: 0,
  depreciation: 0,
  interest: 0,
  tax: 0,
  netIncome: 0,
  operatingCash: 0,
  investingCash: 0,
  financingCash: 0,
  /** Increase of overdue payments; it is part of `operatingCash`. */
  withheld: 0,
  drewCredit: false,
  becameInsolvent: false,
});

export type Flows = ReturnType<typeof createFlows>;

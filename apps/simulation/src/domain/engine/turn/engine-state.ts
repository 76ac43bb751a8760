import type { CompanyState } from '../company/company-state.ts';
import { EVENT_CODES } from '../world/event-catalogue.ts';
import { openWorld } from '../world/world-state.ts';
import type { WorldState } from '../world/world-state.ts';

/** Kept with every state: a state is replayed by the model that made it only. */
export const MODEL_VERSION = 'c7.1';

/** Everything that the next turn needs; plain JSON, equal for a year and for its four quarters. */
export type EngineState = {
  readonly modelVersion: string;
  /** Quarters played. */
  readonly quarter: number;
  readonly company: Readonly<CompanyState>;
  readonly world: Readonly<WorldState>;
};

/** Turn 0. */
export const openState = (company: CompanyState): EngineState => ({
  modelVersion: MODEL_VERSION,
  quarter: 0,
  company,
  world: openWorld(EVENT_CODES.length),
});

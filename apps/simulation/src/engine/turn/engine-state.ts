import type { CompanyState } from '../company/company-state.ts';
import { openWorld } from '../world/world-state.ts';
import type { WorldState } from '../world/world-state.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '@witan/proof';

/**
 * Version of the model, stored with every state, because only the version that computed a state can
 * replay it.
 */
export const MODEL_VERSION = 'c7.2';

/**
 * State of a company and its world, as plain JSON. One turn of a year leads to the same state as
 * four turns of a quarter with the same levers and world parameters.
 */
export type EngineState = {
  readonly modelVersion: string;
  readonly quarter: number;
  readonly company: Readonly<CompanyState>;
  readonly world: Readonly<WorldState>;
};

export const openState = (company: CompanyState): EngineState => ({
  modelVersion: MODEL_VERSION,
  quarter: 0,
  company,
  world: openWorld(),
});

export const hashState = (state: EngineState): string =>
  createHash('sha256').update(canonicalJson(state)).digest('hex');

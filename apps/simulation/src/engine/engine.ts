/**
 * Public interface of the engine. The engine is pure: it uses no clock and no IO, and the seed is
 * its only source of randomness.
 */
export type { CompanyState } from './company/company-state.ts';
export { readCompanyBase } from './company/read-company-base.ts';
export { decide } from './lever/decide.ts';
export type { Decision, Proposal } from './lever/decide.ts';
export { defaultLevers, describeLevers, LEVER_NAMES } from './lever/lever.ts';
export type { LeverBounds, LeverName, Levers } from './lever/lever.ts';
export { ablate } from './outlook/ablate.ts';
export type { LeverEffect } from './outlook/ablate.ts';
export {
  explainRevenue,
  REVENUE_DRIVERS,
  SHARE_DRIVERS,
  usualSpendingOf,
} from './outlook/explain-revenue.ts';
export type { RevenueDriver, ShareDriver } from './outlook/explain-revenue.ts';
export { forecast } from './outlook/forecast.ts';
export type { Forecast, ForecastInput } from './outlook/forecast.ts';
export { hashState, MODEL_VERSION, openState } from './turn/engine-state.ts';
export type { EngineState } from './turn/engine-state.ts';
export { playTurn, playTurns, quartersOf, TURN_UNITS, toScenarioSeed } from './turn/play-turn.ts';
export type { PlayedTurn, TurnInput, TurnUnit } from './turn/play-turn.ts';
export { showInflation, showOpening } from './turn/show-turn.ts';
export { InvariantError } from './turn/step-quarter.ts';
export type { WorldEvent } from './turn/to-events.ts';
export { readParameters } from './world/world-parameters.ts';

/**
 * Public interface of the engine. The engine is pure: it uses no clock and no IO, and its random
 * numbers depend only on seed and quarter.
 */
export { readCompanyBase } from './company/read-company-base.ts';
export type { ReadCompany } from './company/read-company-base.ts';
export type { CompanyState } from './company/company-state.ts';
export { decide } from './lever/decide.ts';
export type { Clamp, Decision, Proposal } from './lever/decide.ts';
export { LEVER_NAMES } from './lever/lever.ts';
export type { LeverName, Levers } from './lever/lever.ts';
export { defaultLevers, describeLevers } from './lever/describe-levers.ts';
export type { LeverBounds } from './lever/describe-levers.ts';
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
export type {
  Forecast,
  ForecastInput,
  ForecastPath,
  PathInterval,
  PercentileName,
} from './outlook/forecast.ts';
export { InvariantError } from './turn/check-invariants.ts';
export { MODEL_VERSION, openState } from './turn/engine-state.ts';
export type { EngineState } from './turn/engine-state.ts';
export { hashState } from './turn/engine-state.ts';
export { playTurns } from './turn/play-turn.ts';
export { showInflation } from './turn/show-inflation.ts';
export { playTurn, TURN_UNITS, toScenarioSeed } from './turn/play-turn.ts';
export type { PlayedTurn, TurnInput, TurnUnit } from './turn/play-turn.ts';
export type { ShownCompany, ShownWorld } from './turn/show-turn.ts';
export { IMPACTS } from './turn/to-events.ts';
export type { Impact, WorldEvent } from './turn/to-events.ts';
export { readParameters } from './world/world-parameters.ts';
export type { ReadParameters, WorldParameters } from './world/world-parameters.ts';
export { EVENT_CODES } from './world/event-catalogue.ts';
export type { EventCode } from './world/event-catalogue.ts';
export type { WorldState } from './world/world-state.ts';

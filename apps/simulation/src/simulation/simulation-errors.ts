import { conflict, invalidRequest, notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

/**
 * Returns NOT_FOUND. It is also thrown for simulations of other workspaces, so that their existence
 * is not revealed.
 */
export const noSuchSimulation = (): ServiceError =>
  notFound('There is no such simulation in this workspace.');

export const noSuchScenario = (param?: 'scenarioId' | 'fromScenarioId'): ServiceError =>
  notFound('There is no such scenario in this simulation.', param && { param });

export const noReport = (): ServiceError =>
  notFound('The simulation has no report yet: finalize it first.');

export const simulationFinalized = (): ServiceError =>
  conflict('The simulation is finalized: it can be read, replayed and deleted.', {
    code: 'simulation_finalized',
  });

export const simulationBusy = (): ServiceError =>
  conflict('The simulation is being advanced and stays so; try again later.', {
    code: 'simulation_busy',
  });

export const turnConflict = (expected: number, current: number): ServiceError =>
  conflict(`The simulation is at turn ${current}, not ${expected}.`, { code: 'turn_conflict' });

export const noActiveScenario = (): ServiceError =>
  conflict('No scenario of the simulation is active: activate one, or add one.', {
    code: 'no_active_scenario',
  });

export const nothingToReport = (): ServiceError =>
  conflict('The simulation is at turn 0: advance it before it is finalized.', {
    code: 'nothing_to_report',
  });

export const tooManyScenarios = (max: number): ServiceError =>
  conflict(`A simulation has at most ${max} scenarios.`, { code: 'too_many_scenarios' });

export const tooManyTurns = (max: number): ServiceError =>
  conflict(`A simulation has at most ${max} turns: finalize it.`, { code: 'too_many_turns' });

export const invalidParam = (param: string, message: string): ServiceError =>
  invalidRequest(message, { param });

export const otherModel = (): ServiceError =>
  conflict('The simulation was played by another version of the model, which alone replays it.', {
    code: 'other_model',
  });

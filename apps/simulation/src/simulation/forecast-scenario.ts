import { defaultLevers } from '../engine/engine.ts';
import type { EngineState, Forecast, ForecastInput, Levers } from '../engine/engine.ts';
import { noSuchScenario, noSuchSimulation, invalidParam } from './simulation-errors.ts';
import type {
  Scenario,
  ScenarioStore,
  Simulation,
  SimulationStore,
  StateStore,
} from './simulation.ts';
import { toInput } from './step-scenario.ts';

type ForecastRequest = {
  simulationId: string;
  scenarioId: string;
  turns?: number;
  runs?: number;
};

export type RunForecast = (
  state: EngineState,
  input: ForecastInput,
  signal: AbortSignal,
) => Promise<Forecast>;

export type ForecastDeps = {
  simulations: Pick<SimulationStore, 'find'>;
  scenarios: Pick<ScenarioStore, 'list'>;
  states: Pick<StateStore, 'list'>;
  runForecast: RunForecast;
};

const TURNS = { default: 8, min: 1, max: 40 } as const;
const RUNS = { default: 1_000, min: 10, max: 10_000 } as const;

/**
 * Forecasts a scenario with the levers of its last decision, without financing and market entry, or
 * with the default levers if it has no decision. Calls no model.
 */
export const forecastScenario = async (
  workspaceId: string,
  { simulationId, scenarioId, ...requested }: ForecastRequest,
  signal: AbortSignal,
  { simulations, scenarios, states, runForecast }: ForecastDeps,
): Promise<{ turns: number; runs: number; forecast: Forecast }> => {
  const turns = within('turns', requested.turns, TURNS);
  const runs = within('runs', requested.runs, RUNS);
  const simulation = await simulations.find(workspaceId, simulationId);
  if (!simulation) throw noSuchSimulation();
  const scenario = choose(await scenarios.list(workspaceId, simulationId), scenarioId);
  const { id = '', parameters = {}, opening = simulation.opening } = scenario ?? {};
  const [last] = scenario
    ? await states.list(workspaceId, { simulationId, scenarioId: id, limit: 1 })
    : [];
  const state = last?.engineState ?? opening;
  const from = { state, levers: last?.decision.levers, turn: simulation.currentTurn };
  const input = toForecastInput(simulation, { id, parameters }, from, { turns, runs });
  return { turns, runs, forecast: await runForecast(state, input, signal) };
};

export const toForecastInput = (
  simulation: Pick<Simulation, 'seed' | 'turnUnit'>,
  scenario: Pick<Scenario, 'id' | 'parameters'>,
  { state, levers, turn }: { state: EngineState; levers: Levers | undefined; turn: number },
  { turns, runs }: { turns: number; runs: number },
): ForecastInput => ({
  ...toInput(simulation, scenario),
  // Financing and market entry are not repeated in every quarter.
  levers: levers
    ? { ...levers, raiseEquity: 0, debtChange: 0, newMarketEntry: 0 }
    : defaultLevers(state.company),
  fromTurn: turn + 1,
  turns,
  runs,
});

const within = (
  param: string,
  value: number | undefined,
  { default: fallback, min, max }: { default: number; min: number; max: number },
): number => {
  const number = value ?? fallback;
  if (number < min || number > max)
    throw invalidParam(param, `${param} must be from ${min} to ${max}.`);
  return number;
};

const choose = (scenarios: readonly Scenario[], scenarioId: string): Scenario | undefined => {
  if (scenarioId === '') return scenarios.find(({ isActive }) => isActive) ?? scenarios[0];
  const scenario = scenarios.find(({ id }) => id === scenarioId);
  if (!scenario) throw noSuchScenario('scenarioId');
  return scenario;
};

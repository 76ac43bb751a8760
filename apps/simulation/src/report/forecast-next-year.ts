import type { Simulation } from '../simulation/simulation.ts';
import { toForecastInput } from '../simulation/forecast-scenario.ts';
import type { RunForecast } from '../simulation/forecast-scenario.ts';
import type { Outlook } from './scenario-story.ts';
import type { ScenarioHistory } from './scenario-history.ts';

const TURNS: Readonly<Record<Simulation['turnUnit'], number>> = { quarter: 4, year: 1 };
const RUNS = 1_000;

/**
 * Forecasts one year from the scenario's last state. Returns the median and the fifth percentile of
 * cash at its end, and the percentage of runs in which the company becomes insolvent.
 */
export const forecastNextYear = async (
  simulation: Pick<Simulation, 'seed' | 'turnUnit' | 'currentTurn'>,
  { scenario, states }: ScenarioHistory,
  signal: AbortSignal,
  runForecast: RunForecast,
): Promise<Outlook> => {
  const last = states.at(-1)!;
  const state = last.engineState;
  const { levers } = last.decision;
  const turns = TURNS[simulation.turnUnit];
  const from = { state, levers, turn: simulation.currentTurn };
  const input = toForecastInput(simulation, scenario, from, { turns, runs: RUNS });
  const { percentiles, insolvency } = await runForecast(state, input, signal);
  return {
    median: percentiles.p50.cash.at(-1)!,
    fifthPercentile: percentiles.p5.cash.at(-1)!,
    insolvencyPct: insolvency.probability * 100,
  };
};

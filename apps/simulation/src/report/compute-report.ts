import type { Simulation } from '../simulation/simulation.ts';
import type { RunForecast } from '../simulation/forecast-scenario.ts';
import { compareScenarios } from './compare-scenarios.ts';
import { computeFigures } from './compute-figures.ts';
import { toStory } from './scenario-story.ts';
import { findKeyDecisions } from './key-decisions.ts';
import { detectLanguage } from './language.ts';
import { figureOf } from './scenario-history.ts';
import type { ScenarioHistory } from './scenario-history.ts';
import { createFormatNumber, readCurrency } from './create-format-number.ts';
import { endsInsolvent } from './write-advice.ts';
import { writeTemplate } from './write-template.ts';
import { createEnglish } from './phrases/english.ts';
import { createGerman } from './phrases/german.ts';
import { toFormats } from './phrases/phrases.ts';
import { quartersOf } from '../engine/engine.ts';
import { toForecastInput } from '../simulation/forecast-scenario.ts';
import type { Outlook } from './scenario-story.ts';

export type ReportedSimulation = {
  simulation: Simulation;
  histories: readonly ScenarioHistory[];
  /**
   * True if any panel of the simulation was local-only, so that only the local runtime may receive
   * its results.
   */
  staysLocal: boolean;
};

export const computeReport = async (
  { simulation, histories }: Pick<ReportedSimulation, 'simulation' | 'histories'>,
  signal: AbortSignal,
  { runForecast }: { runForecast: RunForecast },
) => {
  const outlooks = await Promise.all(
    histories.map((history) => forecastNextYear(simulation, history, signal, runForecast)),
  );
  const language = detectLanguage([
    simulation.name,
    simulation.description,
    ...histories.flatMap(({ scenario }) => [scenario.name, scenario.description]),
  ]);
  const currency = readCurrency(simulation.companyBase['currency']);
  const format = createFormatNumber({ language, currency });
  const { turnUnit, currentTurn: turns } = simulation;
  const phrases = PHRASES[language](toFormats(format), currency, turnUnit);
  const stories = histories.map((history, index) => ({
    ...toStory(simulation, history, outlooks[index]),
    people: figureOf(history.states.at(-1)!, 'employees'),
  }));
  const comparison = compareScenarios(simulation, histories);
  const decisions = findKeyDecisions(simulation, histories);
  const source = { simulation, histories, stories, comparison, decisions };
  const isOnlyScenario = histories.length === 1;
  return {
    language,
    stories,
    comparison,
    decisions,
    figures: computeFigures(source, format),
    keyDecisions:
      decisions.length === 0
        ? [phrases.noDecisions(stories.some(endsInsolvent))]
        : decisions.map((decision) => phrases.decision(decision, isOnlyScenario)),
    noProviderNotice: phrases.noProvider(),
    template: writeTemplate({ turns, turnUnit, stories, comparison, decisions }, phrases),
  };
};

const PHRASES = { en: createEnglish, de: createGerman } as const;

const QUARTERS_PER_YEAR = 4;
const FORECAST_RUNS = 1_000;

/**
 * Forecasts one year from the scenario's last state. Returns the median and the fifth percentile of
 * cash at its end, and the percentage of runs in which the company becomes insolvent.
 */
const forecastNextYear = async (
  simulation: Pick<Simulation, 'seed' | 'turnUnit' | 'currentTurn'>,
  { scenario, states }: ScenarioHistory,
  signal: AbortSignal,
  runForecast: RunForecast,
): Promise<Outlook> => {
  const last = states.at(-1)!;
  const state = last.engineState;
  const { levers } = last.decision;
  const turns = QUARTERS_PER_YEAR / quartersOf(simulation.turnUnit);
  const from = { state, levers, turn: simulation.currentTurn };
  const input = toForecastInput(simulation, scenario, from, { turns, runs: FORECAST_RUNS });
  const { percentiles, insolvency } = await runForecast(state, input, signal);
  return {
    median: percentiles.p50.cash.at(-1)!,
    fifthPercentile: percentiles.p5.cash.at(-1)!,
    insolvencyPct: insolvency.probability * 100,
  };
};

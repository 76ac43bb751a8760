import type { Simulation } from '../simulation/simulation.ts';
import type { RunForecast } from '../simulation/forecast-scenario.ts';
import { compareScenarios } from './compare-scenarios.ts';
import { computeFigures } from './compute-figures.ts';
import { toStory } from './scenario-story.ts';
import { forecastNextYear } from './forecast-next-year.ts';
import { findKeyDecisions, toDecisionFigures } from './key-decisions.ts';
import { detectLanguage } from './language.ts';
import { figureOf } from './scenario-history.ts';
import type { ScenarioHistory } from './scenario-history.ts';
import { createFormatNumber, readCurrency } from './create-format-number.ts';
import { writeTemplate } from './write-template.ts';
import type { TurnUnit } from '../engine/engine.ts';
import type { NumberStyle } from './create-format-number.ts';
import { createEnglish } from './phrases/english.ts';
import { createGerman } from './phrases/german.ts';
import type { Phrases } from './phrases/phrases.ts';

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
  const style = { language, currency: readCurrency(simulation.companyBase['currency']) };
  const format = createFormatNumber(style);
  const { turnUnit, currentTurn: turns } = simulation;
  const phrases = createPhrases(style, turnUnit);
  const stories = histories.map((history, index) => ({
    ...toStory(simulation, history, outlooks[index]),
    people: figureOf(history.states.at(-1)!, 'employees'),
  }));
  const comparison = compareScenarios(simulation, histories);
  const decisions = findKeyDecisions(simulation, histories);
  const figures = [
    ...computeFigures({ simulation, histories, stories, comparison, format }),
    ...toDecisionFigures(decisions, format),
  ];
  const isOnlyScenario = histories.length === 1;
  return {
    language,
    stories,
    comparison,
    decisions,
    figures,
    keyDecisions:
      decisions.length === 0
        ? [phrases.noDecisions()]
        : decisions.map((decision) => phrases.decision(decision, isOnlyScenario)),
    template: writeTemplate({ turns, turnUnit, stories, comparison, decisions }, phrases),
  };
};

const BY_LANGUAGE = { en: createEnglish, de: createGerman } as const;

const createPhrases = (style: NumberStyle, unit: TurnUnit): Phrases =>
  BY_LANGUAGE[style.language](createFormatNumber(style), style, unit);

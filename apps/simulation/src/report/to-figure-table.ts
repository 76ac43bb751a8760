import type { JsonObject } from '@bufbuild/protobuf';
import type { Simulation } from '../simulation/simulation.ts';
import type { Comparison } from './compare-scenarios.ts';
import type { ScenarioStory } from './scenario-story.ts';
import type { KeyDecision } from './key-decisions.ts';
import type { Language } from './language.ts';
import type { ReportFigure } from './number-lock/report-figure.ts';
import type { ScenarioHistory } from './scenario-history.ts';

type FigureTableSource = {
  simulation: Pick<Simulation, 'currentTurn' | 'turnUnit' | 'modelVersion'>;
  histories: readonly ScenarioHistory[];
  stories: readonly Pick<ScenarioStory, 'pausedTurns'>[];
  comparison: Comparison | undefined;
  language: Language;
  figures: readonly ReportFigure[];
  decisions: readonly KeyDecision[];
};

export const toFigureTable = (source: FigureTableSource): JsonObject => {
  const { simulation, histories, stories, comparison, language, figures, decisions } = source;
  const { currentTurn, turnUnit, modelVersion } = simulation;
  return {
    turns: currentTurn,
    turnUnit,
    modelVersion,
    language,
    ...(comparison ? { comparedAfterTurns: comparison.turns } : {}),
    scenarios: histories.map(({ scenario, states }, index) => ({
      id: scenario.id,
      name: scenario.name,
      turns: states.length,
      pausedTurns: [...stories[index]!.pausedTurns],
      lastStateHash: states.at(-1)!.stateHash,
    })),
    facts: figures
      .filter(({ unit, scenario }) => unit !== 'turn' || scenario !== '')
      .map(({ scenario, label, value, unit, text }) => ({ scenario, label, value, unit, text })),
    decisions: decisions.map(({ turn, scenario, lever, value, defaultValue, ...effect }) => ({
      scenario,
      turn,
      lever,
      value,
      held: defaultValue,
      added: {
        revenue: effect.revenue,
        cash: effect.cash,
        marketShare: effect.marketShare,
        valuation: effect.valuation,
        worth: effect.worth,
      },
    })),
  };
};

import type { JsonObject } from '@bufbuild/protobuf';
import type { Simulation } from '../simulation/simulation.ts';
import type { Comparison } from './compare-courses.ts';
import type { CourseStory } from './course-story.ts';
import type { KeyDecision } from './key-decisions.ts';
import type { Language } from './language.ts';
import type { Fact } from './number-lock/fact.ts';
import type { Course } from './scenario-course.ts';

type FactTableSource = {
  simulation: Pick<Simulation, 'currentTurn' | 'turnUnit' | 'modelVersion'>;
  courses: readonly Course[];
  /** One of each course, in their order. */
  stories: readonly Pick<CourseStory, 'pausedTurns'>[];
  comparison: Comparison | undefined;
  language: Language;
  facts: readonly Fact[];
  decisions: readonly KeyDecision[];
};

/** The facts of a report as the API shows them: what every number in it can be looked up in. */
export const toFactTable = (source: FactTableSource): JsonObject => {
  const { simulation, courses, stories, comparison, language, facts, decisions } = source;
  const { currentTurn, turnUnit, modelVersion } = simulation;
  return {
    turns: currentTurn,
    turnUnit,
    modelVersion,
    language,
    ...(comparison ? { comparedAfterTurns: comparison.turns } : {}),
    scenarios: courses.map(({ scenario, states }, place) => ({
      id: scenario.id,
      name: scenario.name,
      turns: states.length,
      pausedTurns: [...stories[place]!.pausedTurns],
      lastStateHash: states.at(-1)!.stateHash,
    })),
    facts: facts
      // Which turns there were is said above.
      .filter(({ unit, scenario }) => unit !== 'turn' || scenario !== '')
      .map(({ scenario, label, value, unit, text }) => ({ scenario, label, value, unit, text })),
    decisions: decisions.map(({ turn, scenario, lever, value, held, ...effect }) => ({
      scenario,
      turn,
      lever,
      value,
      held,
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

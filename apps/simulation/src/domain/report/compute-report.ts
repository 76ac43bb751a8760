import type { Simulation } from '../simulation/simulation.ts';
import type { RunForecast } from '../turn/forecast-scenario.ts';
import { compareCourses } from './compare-courses.ts';
import { computeFigures } from './compute-figures.ts';
import { toStory } from './course-story.ts';
import { forecastCourse } from './forecast-course.ts';
import { findKeyDecisions, toDecisionFigures } from './key-decisions.ts';
import { detectLanguage } from './language.ts';
import { createPhrases } from './phrases/create-phrases.ts';
import { figureOf } from './scenario-course.ts';
import type { Course } from './scenario-course.ts';
import { createShowNumber, readCurrency } from './show-number.ts';
import { writeTemplate } from './write-template.ts';

export type ReportedSimulation = {
  simulation: Simulation;
  courses: readonly Course[];
  /** True if any panel of the simulation was local-only. */
  staysLocal: boolean;
};

export const computeReport = async (
  { simulation, courses }: Pick<ReportedSimulation, 'simulation' | 'courses'>,
  signal: AbortSignal,
  { runForecast }: { runForecast: RunForecast },
) => {
  const outlooks = await Promise.all(
    courses.map((course) => forecastCourse(simulation, course, signal, runForecast)),
  );
  const language = detectLanguage([
    simulation.name,
    simulation.description,
    ...courses.flatMap(({ scenario }) => [scenario.name, scenario.description]),
  ]);
  const style = { language, currency: readCurrency(simulation.companyBase['currency']) };
  const show = createShowNumber(style);
  const { turnUnit, currentTurn: turns } = simulation;
  const phrases = createPhrases(style, turnUnit);
  const stories = courses.map((course, index) => ({
    ...toStory(simulation, course, outlooks[index]),
    people: figureOf(course.states.at(-1)!, 'employees'),
  }));
  const comparison = compareCourses(simulation, courses);
  const decisions = findKeyDecisions(simulation, courses);
  const figures = [
    ...computeFigures({ simulation, courses, stories, comparison, show }),
    ...toDecisionFigures(decisions, show),
  ];
  const isOnly = courses.length === 1;
  return {
    language,
    stories,
    comparison,
    decisions,
    figures,
    keyDecisions:
      decisions.length === 0
        ? [phrases.noDecisions()]
        : decisions.map((decision) => phrases.decision(decision, isOnly)),
    template: writeTemplate({ turns, turnUnit, stories, comparison, decisions }, phrases),
  };
};

import type { Scenario, State } from '../simulation/simulation.ts';

/** A scenario with all its states, oldest first; there is one at least. */
export type Course = { scenario: Scenario; states: readonly State[] };

/** Scenarios in their order, each with what became of it; without those that were never played. */
export const toCourses = (
  scenarios: readonly Scenario[],
  states: readonly State[],
): readonly Course[] =>
  scenarios
    .map((scenario) => ({
      scenario,
      states: states.filter(({ scenarioId }) => scenarioId === scenario.id),
    }))
    .filter((course) => course.states.length > 0);

/** Figures of a company that reports tell. */
export type Figure =
  | 'revenue'
  | 'cash'
  | 'burn'
  | 'employees'
  | 'marketShare'
  | 'ebitda'
  | 'debt'
  | 'price'
  | 'valuation';

/** As the API shows it of a turn: flows are those of the whole turn. */
export const figureOf = ({ companyState, engineState }: State, name: Figure): number => {
  const shown = companyState[name];
  return typeof shown === 'number' ? shown : engineState.company[name];
};

export const openingFigureOf = ({ opening }: Scenario, name: Figure): number =>
  opening.company[name];

export const isInsolvent = ({ engineState }: State): boolean => engineState.company.isInsolvent;

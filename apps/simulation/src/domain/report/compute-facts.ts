import type { Simulation } from '../simulation/simulation.ts';
import type { Fact, FactUnit } from './number-lock/fact.ts';
import { figureOf, isInsolvent, openingFigureOf } from './scenario-course.ts';
import type { Course, Figure } from './scenario-course.ts';
import { showNumber } from './show-number.ts';

type Given = Omit<Fact, 'isChange' | 'text'> & { isChange?: boolean };

/**
 * The fact table (C8): all that a report may say in numbers, computed from the states. The order is
 * that of reading: the whole, then each scenario, then how scenarios differ.
 */
export const computeFacts = (
  simulation: Pick<Simulation, 'currentTurn' | 'turnUnit'>,
  courses: readonly Course[],
): readonly Fact[] =>
  [
    whole('turns played', simulation.currentTurn, 'turns'),
    whole('scenarios', courses.length, 'scenarios'),
    ...Array.from({ length: simulation.currentTurn }, (_, place) =>
      whole('a turn', place + 1, 'turn'),
    ),
    ...courses.flatMap((course) => factsOf(course, simulation)),
    ...courses.slice(1).flatMap((course) => differences(course, courses[0]!)),
  ].flatMap(toFact);

const whole = (label: string, value: number, unit: FactUnit): Given => ({
  scenario: '',
  label,
  value,
  unit,
});

/** What cannot be divided, or is beyond numbers, is no fact. */
const toFact = ({ isChange = false, ...fact }: Given): Fact[] =>
  Number.isFinite(fact.value)
    ? [{ ...fact, isChange, text: showNumber(fact.value, fact.unit) }]
    : [];

const QUARTERS: Readonly<Record<Simulation['turnUnit'], number>> = { quarter: 1, year: 4 };
const QUARTERS_OF_A_YEAR = 4;

const factsOf = (course: Course, { turnUnit }: Pick<Simulation, 'turnUnit'>): readonly Given[] => {
  const { scenario, states } = course;
  const last = states.at(-1)!;
  const start = (name: Figure): number => openingFigureOf(scenario, name);
  const end = (name: Figure): number => figureOf(last, name);
  const fact = (label: string, value: number, unit: FactUnit): Given => ({
    scenario: scenario.name,
    label,
    value,
    unit,
  });
  const change = (label: string, value: number, unit: FactUnit): Given => ({
    ...fact(label, value, unit),
    isChange: true,
  });
  const years = (states.length * QUARTERS[turnUnit]) / QUARTERS_OF_A_YEAR;
  const growth = end('revenue') / start('revenue');
  const lowest = states.reduce((one, other) =>
    figureOf(other, 'cash') < figureOf(one, 'cash') ? other : one,
  );
  const failed = states.find(isInsolvent);
  const strong = states.flatMap(({ events }) => events.filter(({ impact }) => impact === 'high'));
  return [
    fact('revenue per year at the start', start('revenue'), 'money'),
    fact('revenue per year at the end', end('revenue'), 'money'),
    change('change of revenue per year', end('revenue') - start('revenue'), 'money'),
    change('growth of revenue from start to end', (growth - 1) * 100, 'percent'),
    ...(years >= 1
      ? [change('growth of revenue a year (CAGR)', (growth ** (1 / years) - 1) * 100, 'percent')]
      : []),
    fact('revenue at the end as a multiple of the start', growth, 'multiple'),
    fact('cash at the start', start('cash'), 'money'),
    fact('cash at the end', end('cash'), 'money'),
    change('change of cash', end('cash') - start('cash'), 'money'),
    fact('lowest cash', figureOf(lowest, 'cash'), 'money'),
    fact('turn of the lowest cash', lowest.turn, 'turn'),
    fact('burn per month at the end', end('burn'), 'money'),
    ...(end('burn') > 0 ? [fact('runway at the end', end('cash') / end('burn'), 'months')] : []),
    fact('EBITDA per year at the end', end('ebitda'), 'money'),
    fact('EBITDA margin at the end', (end('ebitda') / end('revenue')) * 100, 'percent'),
    fact('debt at the end', end('debt'), 'money'),
    fact('employees at the start', start('employees'), 'people'),
    fact('employees at the end', end('employees'), 'people'),
    change('change of employees', end('employees') - start('employees'), 'people'),
    fact('market share at the start', start('marketShare') * 100, 'percent'),
    fact('market share at the end', end('marketShare') * 100, 'percent'),
    change(
      'change of market share in percentage points',
      (end('marketShare') - start('marketShare')) * 100,
      'percent',
    ),
    fact('price at the end', end('price'), 'price'),
    change('change of the price', (end('price') / start('price') - 1) * 100, 'percent'),
    fact('valuation at the end', end('valuation'), 'money'),
    fact('turns in which the company held its course', countHeld(course), 'turns'),
    fact('events', states.flatMap(({ events }) => events).length, 'events'),
    fact('events of high impact', strong.length, 'events'),
    ...(failed ? [fact('turn in which it became insolvent', failed.turn, 'turn')] : []),
  ];
};

const countHeld = ({ states }: Course): number =>
  states.filter(({ decision }) => decision.isFallback).length;

const COMPARED: readonly Figure[] = ['revenue', 'cash', 'valuation'];

/** How a scenario ends beside the first one. */
const differences = (course: Course, first: Course): Given[] =>
  COMPARED.map((name) => ({
    scenario: course.scenario.name,
    label: `${name} at the end, more (or less) than in ${JSON.stringify(first.scenario.name)}`,
    value: figureOf(course.states.at(-1)!, name) - figureOf(first.states.at(-1)!, name),
    unit: 'money',
    isChange: true,
  }));

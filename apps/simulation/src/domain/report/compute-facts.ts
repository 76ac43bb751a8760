import type { Simulation } from '../simulation/simulation.ts';
import type { Comparison } from './compare-courses.ts';
import type { CourseStory } from './course-story.ts';
import type { Fact, FactUnit } from './number-lock/fact.ts';
import { figureOf, openingFigureOf } from './scenario-course.ts';
import type { Course, Figure } from './scenario-course.ts';
import type { ShowNumber } from './show-number.ts';

type Given = Omit<Fact, 'isChange' | 'text'> & { isChange?: boolean };

export type FactSource = {
  simulation: Pick<Simulation, 'currentTurn' | 'turnUnit'>;
  courses: readonly Course[];
  /** One of each course, in their order. */
  stories: readonly CourseStory[];
  comparison: Comparison | undefined;
  show: ShowNumber;
};

/**
 * The fact table (C8): all that a report may say in numbers, computed from the states. The order is
 * that of reading: the whole, then each scenario, then how scenarios differ.
 */
export const computeFacts = (source: FactSource): readonly Fact[] => {
  const { simulation, courses, stories, comparison, show } = source;
  const { currentTurn } = simulation;
  return [
    whole('turns played', currentTurn, 'turns'),
    whole('scenarios', courses.length, 'scenarios'),
    ...Array.from({ length: currentTurn }, (_, place) => whole('a turn', place + 1, 'turn')),
    ...courses.flatMap((course, place) => [
      ...factsOf(course, simulation),
      ...storyFacts(stories[place]!),
    ]),
    ...(comparison ? differences(comparison) : []),
  ].flatMap((given) => toFact(given, show));
};

const whole = (label: string, value: number, unit: FactUnit): Given => ({
  scenario: '',
  label,
  value,
  unit,
});

/** What cannot be divided, or is beyond numbers, is no fact. */
const toFact = ({ isChange = false, ...fact }: Given, show: ShowNumber): Fact[] =>
  Number.isFinite(fact.value) ? [{ ...fact, isChange, text: show(fact.value, fact.unit) }] : [];

const QUARTERS: Readonly<Record<Simulation['turnUnit'], number>> = { quarter: 1, year: 4 };
const QUARTERS_OF_A_YEAR = 4;

/** Facts of one scenario. */
const factsFor = (scenario: string) => ({
  fact: (label: string, value: number, unit: FactUnit): Given => ({ scenario, label, value, unit }),
  change: (label: string, value: number, unit: FactUnit): Given => ({
    ...{ scenario, label, value, unit },
    isChange: true,
  }),
});

const factsOf = (course: Course, { turnUnit }: FactSource['simulation']): readonly Given[] => {
  const { scenario, states } = course;
  const last = states.at(-1)!;
  const start = (name: Figure): number => openingFigureOf(scenario, name);
  const end = (name: Figure): number => figureOf(last, name);
  const { fact, change } = factsFor(scenario.name);
  const years = (states.length * QUARTERS[turnUnit]) / QUARTERS_OF_A_YEAR;
  const growth = end('revenue') / start('revenue');
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
    fact('burn per month at the start', start('burn'), 'money'),
    fact('burn per month at the end', end('burn'), 'money'),
    fact('EBITDA per year at the end', end('ebitda'), 'money'),
    fact('debt at the end', end('debt'), 'money'),
    fact('employees at the start', start('employees'), 'people'),
    fact('employees at the end', end('employees'), 'people'),
    change('change of employees', end('employees') - start('employees'), 'people'),
    change('change of market share', (end('marketShare') - start('marketShare')) * 100, 'points'),
    fact('price at the end', end('price'), 'price'),
    change('change of the price', (end('price') / start('price') - 1) * 100, 'percent'),
    fact('valuation at the end', end('valuation'), 'money'),
    fact('events', states.flatMap(({ events }) => events).length, 'events'),
    fact('events of high impact', strong.length, 'events'),
  ];
};

const storyFacts = (story: CourseStory): readonly Given[] => {
  const { fact, change } = factsFor(story.name);
  const { cash, revenue, cashFlow, margin, share, spending, inflation } = story;
  return [
    fact('turns played in this scenario', story.turns, 'turns'),
    ...story.pausedTurns.map((turn) => fact('turn in which it was paused', turn, 'turn')),
    fact('lowest cash, the start included', cash.lowest.value, 'money'),
    ...(cash.lowest.turn === 0 ? [] : [fact('turn of the lowest cash', cash.lowest.turn, 'turn')]),
    fact('highest revenue per year', revenue.highest.value, 'money'),
    fact('lowest revenue per year', revenue.lowest.value, 'money'),
    fact('revenue per year at the end, at the prices of the start', story.realRevenue, 'money'),
    change('rise of prices in general, from start to end', inflation.whole, 'percent'),
    change('rise of prices in general, a year', inflation.yearly, 'percent'),
    fact('net cash flow per month at the start', cashFlow.start, 'money'),
    fact('net cash flow per month at the end', cashFlow.end, 'money'),
    ...(story.runway === undefined
      ? []
      : [
          fact('runway at the end', story.runway, 'months'),
          fact('what a year costs at the burn of the end', -cashFlow.end * 12, 'money'),
        ]),
    fact('EBITDA margin at the start', margin.start, 'percent'),
    fact('EBITDA margin at the end', margin.end, 'percent'),
    fact('market share at the start', share.start, 'percent'),
    fact('market share at the end', share.end, 'percent'),
    ...(story.cause ? [change(CAUSES[story.cause.driver], story.cause.change, 'percent')] : []),
    fact('marketing at the end, part of revenue', spending.marketing, 'percent'),
    fact('marketing as usual in the sector, part of revenue', spending.usualMarketing, 'percent'),
    fact('R&D at the end, part of revenue', spending.rd, 'percent'),
    fact('R&D as usual in the sector, part of revenue', spending.usualRd, 'percent'),
    change('its price at the end above that of rivals', story.priceGap, 'percent'),
    fact('demand that could not be served at the end', story.unserved, 'percent'),
    ...(story.cost
      ? [
          fact(
            `${story.cost.name} after the first turn, part of revenue`,
            story.cost.start,
            'percent',
          ),
          fact(`${story.cost.name} at the end, part of revenue`, story.cost.end, 'percent'),
        ]
      : []),
    ...(story.equity.amount > 0
      ? [fact('new equity, which is not earned', story.equity.amount, 'money')]
      : []),
    fact('turns in which the company held its course', story.heldTurns, 'turns'),
    ...(story.insolvent
      ? [fact('turn in which it first became insolvent', story.insolvent.turn, 'turn')]
      : []),
    ...outlookFacts(story),
  ];
};

const CAUSES: Readonly<Record<NonNullable<CourseStory['cause']>['driver'], string>> = {
  prices: 'change of prices in its market',
  ownPrice: 'change of its price against that of rivals',
  market: 'change of the number of customers in its market',
  share: 'change of market share, as a part of it',
  served: 'change of the part of the demand that it serves',
};

/** If the last decision is kept up for a year. */
const outlookFacts = ({ name, outlook }: CourseStory): readonly Given[] => {
  if (!outlook) return [];
  const { fact } = factsFor(name);
  return [
    fact('cash a year after the end, median forecast', outlook.median, 'money'),
    fact('cash a year after the end, poor forecast', outlook.poor, 'money'),
    fact('forecasts in which it becomes insolvent', outlook.insolvencyPct, 'percent'),
  ];
};

/** After equal time. */
const differences = ({ ranked, turns }: Comparison): readonly Given[] => {
  const [best, ...others] = ranked;
  if (!best || others.length === 0) return [];
  return [
    whole('turns after which scenarios are compared', turns, 'turns'),
    ...ranked.map(({ name, worth }) => factsFor(name).fact(WORTH, worth, 'money')),
    ...others.map(({ name, worth }) =>
      factsFor(name).fact(
        `worth then, less than in ${JSON.stringify(best.name)}`,
        best.worth - worth,
        'money',
      ),
    ),
  ];
};

const WORTH = 'worth then: valuation less new equity, at the prices of the start';

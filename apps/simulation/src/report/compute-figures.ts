import type { Simulation } from '../simulation/simulation.ts';
import type { Comparison } from './compare-scenarios.ts';
import type { ScenarioStory } from './scenario-story.ts';
import type {
  DraftFigure,
  ReportFigure,
  FigureUnit,
  FormatNumber,
} from './create-format-number.ts';
import { figureOf, isInsolvent, openingFigureOf } from './scenario-history.ts';
import type { ScenarioHistory, Figure } from './scenario-history.ts';
import type { JsonObject } from '@bufbuild/protobuf';
import { quartersOf } from '../engine/engine.ts';
import { toDecisionFigures } from './key-decisions.ts';
import type { KeyDecision } from './key-decisions.ts';
import type { Language } from './language.ts';

type FigureSource = {
  simulation: Pick<Simulation, 'currentTurn' | 'turnUnit'>;
  histories: readonly ScenarioHistory[];
  stories: readonly ScenarioStory[];
  comparison: Comparison | undefined;
  decisions: readonly KeyDecision[];
};

/**
 * Returns all numbers that a report may contain, in reading order: those of the whole simulation,
 * of each scenario, of differences between scenarios, and of key decisions.
 */
export const computeFigures = (
  { simulation, histories, stories, comparison, decisions }: FigureSource,
  format: FormatNumber,
): readonly ReportFigure[] => {
  const { currentTurn } = simulation;
  return [
    simulationFigure('turns played', currentTurn, 'turns'),
    simulationFigure('scenarios', histories.length, 'scenarios'),
    ...Array.from({ length: currentTurn }, (_, index) =>
      simulationFigure('a turn', index + 1, 'turn'),
    ),
    ...histories.flatMap((history, index) => [
      ...figuresOf(history, simulation),
      ...storyFigures(stories[index]!),
    ]),
    ...(comparison ? comparisonFigures(comparison) : []),
    ...decisions.flatMap(toDecisionFigures),
  ].flatMap((draft) => toFigure(draft, format));
};

const simulationFigure = (label: string, value: number, unit: FigureUnit): DraftFigure => ({
  scenario: '',
  label,
  value,
  unit,
});

const toFigure = (
  { isChange = false, ...figure }: DraftFigure,
  format: FormatNumber,
): ReportFigure[] =>
  Number.isFinite(figure.value)
    ? [{ ...figure, isChange, text: format(figure.value, figure.unit) }]
    : [];

const QUARTERS_PER_YEAR = 4;

const figuresFor = (scenario: string) => ({
  figure: (label: string, value: number, unit: FigureUnit): DraftFigure => ({
    scenario,
    label,
    value,
    unit,
  }),
  change: (label: string, value: number, unit: FigureUnit): DraftFigure => ({
    ...{ scenario, label, value, unit },
    isChange: true,
  }),
});

const figuresOf = (
  history: ScenarioHistory,
  { turnUnit }: FigureSource['simulation'],
): readonly DraftFigure[] => {
  const { scenario, states } = history;
  const last = states.at(-1)!;
  const start = (name: Figure): number => openingFigureOf(scenario, name);
  const end = (name: Figure): number => figureOf(last, name);
  const { figure, change } = figuresFor(scenario.name);
  const years = (states.length * quartersOf(turnUnit)) / QUARTERS_PER_YEAR;
  const growth = end('revenue') / start('revenue');
  const strong = states.flatMap(({ events }) => events.filter(({ impact }) => impact === 'high'));
  return [
    figure('revenue per year at the start', start('revenue'), 'money'),
    figure('revenue per year at the end', end('revenue'), 'money'),
    change('change of revenue per year', end('revenue') - start('revenue'), 'money'),
    change('growth of revenue from start to end', (growth - 1) * 100, 'percent'),
    ...(years >= 1
      ? [change('growth of revenue a year (CAGR)', (growth ** (1 / years) - 1) * 100, 'percent')]
      : []),
    figure('revenue at the end as a multiple of the start', growth, 'multiple'),
    figure('cash at the start', start('cash'), 'money'),
    figure('cash at the end', end('cash'), 'money'),
    change('change of cash', end('cash') - start('cash'), 'money'),
    figure('burn per month at the start', start('burn'), 'money'),
    figure('burn per month at the end', end('burn'), 'money'),
    figure('EBITDA per year at the end', end('ebitda'), 'money'),
    figure('debt at the end', end('debt'), 'money'),
    figure('employees at the start', start('employees'), 'people'),
    figure('employees at the end', end('employees'), 'people'),
    change('change of employees', end('employees') - start('employees'), 'people'),
    change('change of market share', (end('marketShare') - start('marketShare')) * 100, 'points'),
    figure('price at the end', end('price'), 'price'),
    change('change of the price', (end('price') / start('price') - 1) * 100, 'percent'),
    ...(isInsolvent(last) ? [] : [figure('valuation at the end', end('valuation'), 'money')]),
    figure('events', states.flatMap(({ events }) => events).length, 'events'),
    figure('events of high impact', strong.length, 'events'),
  ];
};

const storyFigures = (story: ScenarioStory): readonly DraftFigure[] => {
  const { figure, change } = figuresFor(story.name);
  const { cash, revenue, cashFlow, margin, share, spending, inflation } = story;
  return [
    figure('turns played in this scenario', story.turns, 'turns'),
    ...story.pausedTurns.map((turn) => figure('turn in which it was paused', turn, 'turn')),
    figure('lowest cash, the start included', cash.lowest.value, 'money'),
    ...(cash.lowest.turn === 0
      ? []
      : [figure('turn of the lowest cash', cash.lowest.turn, 'turn')]),
    figure('highest revenue per year', revenue.highest.value, 'money'),
    figure('lowest revenue per year', revenue.lowest.value, 'money'),
    figure('revenue per year at the end, at the prices of the start', story.realRevenue, 'money'),
    change('rise of prices in general, from start to end', inflation.whole, 'percent'),
    change('rise of prices in general, a year', inflation.yearly, 'percent'),
    figure('net cash flow per month at the start', cashFlow.start, 'money'),
    figure('net cash flow per month at the end', cashFlow.end, 'money'),
    ...(story.runway === undefined
      ? []
      : [
          figure('runway at the end', story.runway, 'months'),
          figure('what a year costs at the burn of the end', -cashFlow.end * 12, 'money'),
        ]),
    figure('EBITDA margin at the start', margin.start, 'percent'),
    figure('EBITDA margin at the end', margin.end, 'percent'),
    figure('market share at the start', share.start, 'percent'),
    figure('market share at the end', share.end, 'percent'),
    ...(story.cause
      ? [change(CAUSE_TEXTS[story.cause.driver], story.cause.change, 'percent')]
      : []),
    figure('marketing at the end, part of revenue', spending.marketing, 'percent'),
    figure('marketing as usual in the sector, part of revenue', spending.usualMarketing, 'percent'),
    figure('R&D at the end, part of revenue', spending.rd, 'percent'),
    figure('R&D as usual in the sector, part of revenue', spending.usualRd, 'percent'),
    change('its price at the end above that of rivals', story.priceGap, 'percent'),
    figure('demand that could not be served at the end', story.unserved, 'percent'),
    ...(story.cost
      ? [
          figure(
            `${story.cost.name} after the first turn, part of revenue`,
            story.cost.start,
            'percent',
          ),
          figure(`${story.cost.name} at the end, part of revenue`, story.cost.end, 'percent'),
        ]
      : []),
    ...(story.equity.amount > 0
      ? [figure('new equity, which is not earned', story.equity.amount, 'money')]
      : []),
    figure('turns in which the company held its course', story.undecidedTurns, 'turns'),
    ...insolvencyFigures(story),
    ...outlookFigures(story),
  ];
};

const CAUSE_TEXTS: Readonly<Record<NonNullable<ScenarioStory['cause']>['driver'], string>> = {
  prices: 'change of prices in its market',
  ownPrice: 'change of its price against that of rivals',
  market: 'change of the number of customers in its market',
  share: 'change of market share, as a part of it',
  served: 'change of the part of the demand that it serves',
};

const insolvencyFigures = ({ name, insolvent, lastSolvent }: ScenarioStory): DraftFigure[] => {
  if (!insolvent) return [];
  const { figure } = figuresFor(name);
  return [
    figure('turn in which it first became insolvent', insolvent.turn, 'turn'),
    ...(insolvent.insolventSince === undefined
      ? []
      : [figure('turn since which it cannot pay', insolvent.insolventSince, 'turn')]),
    ...(lastSolvent
      ? [
          figure('cash before it became insolvent', lastSolvent.cash, 'money'),
          figure('burn per month before it became insolvent', lastSolvent.burn, 'money'),
        ]
      : []),
  ];
};

const outlookFigures = ({ name, outlook, insolvent }: ScenarioStory): readonly DraftFigure[] => {
  if (!outlook || insolvent?.insolventSince !== undefined) return [];
  const { figure } = figuresFor(name);
  return [
    figure('cash a year after the end, median forecast', outlook.median, 'money'),
    figure('cash a year after the end, poor forecast', outlook.fifthPercentile, 'money'),
    figure(
      'forecasts in which it becomes insolvent within a year after the end',
      outlook.insolvencyPct,
      'percent',
    ),
  ];
};

const comparisonFigures = ({ ranked, turns }: Comparison): readonly DraftFigure[] => {
  if (ranked.length < 2) return [];
  const [best, ...others] = ranked.filter(({ insolventSince }) => insolventSince === undefined);
  return [
    simulationFigure('turns after which scenarios are compared', turns, 'turns'),
    ...(best ? [best, ...others] : []).map(({ name, worth }) =>
      figuresFor(name).figure(WORTH_DESCRIPTION, worth, 'money'),
    ),
    ...others.map(({ name, worth }) =>
      figuresFor(name).figure(
        `worth then, less than in ${JSON.stringify(best!.name)}`,
        best!.worth - worth,
        'money',
      ),
    ),
  ];
};

const WORTH_DESCRIPTION = 'worth then: valuation less new equity, at the prices of the start';

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
    decisions: decisions.map(
      ({ turn, scenario, lever, value, defaultValue, wanted, ...effect }) => ({
        scenario,
        turn,
        lever,
        value,
        held: defaultValue,
        ...(wanted === undefined ? {} : { wanted }),
        added: {
          revenue: effect.revenue,
          cash: effect.cash,
          marketShare: effect.marketShare,
          valuation: effect.valuation,
          worth: effect.worth,
        },
      }),
    ),
  };
};

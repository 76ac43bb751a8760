import type { JsonValue } from '@bufbuild/protobuf';
import { describeLevers, readCompanyBase, showOpening } from '../engine/engine.ts';
import type { EngineState, LeverBounds } from '../engine/engine.ts';
import { pickMembers, toPlain } from '../simulation/simulation.ts';
import type { Scenario, Simulation, State } from '../simulation/simulation.ts';

export type TurnQuestion = {
  question: string;
  briefing: string;
  levers: readonly LeverBounds[];
  issues: readonly { id: string; proposition: string; weight: number }[];
  /**
   * True if an earlier panel was local-only, so that only local models may receive this question.
   */
  staysLocal: boolean;
};

type TurnSource = {
  staysLocal: boolean;
  simulation: Simulation;
  scenario: Scenario;
  turn: number;
  before: EngineState;
  history: readonly State[];
};

/**
 * Issues of every panel's debate. They are constant, so that no model call is needed to derive them
 * from the question.
 */
const ISSUES: TurnQuestion['issues'] = [
  { id: 'i1', proposition: 'Growth now is worth what it costs in cash.', weight: 1 },
  { id: 'i2', proposition: 'The company should raise or borrow money now.', weight: 1 },
  { id: 'i3', proposition: 'The company should raise its prices now.', weight: 1 },
];

/**
 * Maximum length of a text or a JSON object in the briefing, in characters. It is limited because
 * every agent receives the briefing in every turn.
 */
const CONTEXT_LENGTH_MAX = 6_000;

export const describeTurn = (source: TurnSource): TurnQuestion => {
  const { simulation, turn, before } = source;
  const { turnUnit, horizonTurns } = simulation;
  const end = horizonTurns === 0 ? '' : ` of ${horizonTurns}`;
  return {
    question:
      `Decide what the company does in turn ${turn}${end}, which lasts one ${turnUnit}. Every ` +
      'number counts for a quarter; a lever that you leave out stays as it is. Say in a few ' +
      'words why.',
    briefing: toBriefing(source),
    levers: describeLevers(before),
    issues: ISSUES,
    staysLocal: source.staysLocal,
  };
};

const toBriefing = ({ simulation, scenario, turn, before, history }: TurnSource): string => {
  const [last] = history;
  const { unknown } = readCompanyBase(toPlain(simulation.companyBase));
  const stated = pickMembers(simulation.companyBase, Object.keys(unknown));
  const company = last?.companyState ?? showOpening(before);
  return [
    `You advise a company in a business simulation, ${quote(simulation.name)}.`,
    ...(simulation.description === '' ? [] : [cut(simulation.description)]),
    ...(Object.keys(stated).length === 0 ? [] : [`Its owners say of it: ${render(stated)}`]),
    `The scenario is ${quote(scenario.name)}.`,
    ...(scenario.description === '' ? [] : [cut(scenario.description)]),
    ...(Object.keys(scenario.parameters).length === 0
      ? []
      : [`The world is told to be: ${render(scenario.parameters)}`]),
    `The company after turn ${turn - 1}: ${listFigures(company, COMPANY_FIGURES)}`,
    `The world: ${listFigures(last?.worldState ?? before.world, WORLD_FIGURES)}`,
    ...(last ? listOf('What happened', last.events.map(toEventLine)) : []),
    ...listOf('What was decided before, and came of it', history.map(toHistoryLine)),
    'Money is in the currency of the company, revenue is per year, burn is net cash out per ' +
      'month, marketShare is from 0 to 1, and rates are percent per year.',
  ].join('\n');
};

const listOf = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];

const toEventLine = ({ label, impact, duration }: State['events'][number]): string =>
  `${label} (${impact} impact, ${duration === 1 ? 'one quarter' : `${duration} quarters`})`;

const COMPANY_FIGURES = [
  ...['sector', 'revenue', 'ebitda', 'cash', 'burn', 'runwayMonths', 'debt', 'creditLine'],
  ...['employees', 'wage', 'price', 'customers', 'marketShare', 'churnPct', 'utilisationPct'],
  ...['grossMarginPct', 'insolvent'],
];
const WORLD_FIGURES = [
  ...['gdpGrowth', 'inflationRate', 'interestRate', 'sectorGrowth', 'wageGrowth', 'unemployment'],
];
const OUTCOME_FIGURES = ['revenue', 'cash', 'employees', 'marketShare', 'netIncome'];

const FIGURE_DIGITS = 4;

const listFigures = (
  figures: Readonly<Record<string, unknown>>,
  names: readonly string[],
): string => names.flatMap((name) => toFigure(name, figures[name])).join('; ');

/** Figures that are missing, unknown (null) or false say nothing and are omitted. */
const toFigure = (name: string, value: unknown): string[] => {
  if (typeof value === 'number') return [`${name}: ${Number(value.toPrecision(FIGURE_DIGITS))}`];
  if (typeof value === 'string') return [`${name}: ${value}`];
  return value === true ? [name] : [];
};

const toHistoryLine = ({ turn, decision, companyState }: State): string => {
  const moved = Object.entries(decision.levers).filter(([, value]) => value !== 0);
  const isHeld = decision.isFallback || moved.length === 0;
  const levers = isHeld
    ? 'held its course'
    : listFigures(Object.fromEntries(moved), Object.keys(decision.levers));
  return `turn ${turn}: ${levers}; then ${listFigures(companyState, OUTCOME_FIGURES)}`;
};

const SIGNIFICANT = 6;

const render = (value: JsonValue | Readonly<Record<string, unknown>>): string =>
  cut(
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === 'number' ? Number(item.toPrecision(SIGNIFICANT)) : item,
    ),
  );

const quote = (text: string): string => JSON.stringify(text);

const cut = (text: string): string =>
  text.length <= CONTEXT_LENGTH_MAX
    ? text
    : `${text.slice(0, CONTEXT_LENGTH_MAX).toWellFormed()} [cut short]`;

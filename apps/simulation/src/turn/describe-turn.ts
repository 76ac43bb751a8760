import type { JsonValue } from '@bufbuild/protobuf';
import { describeLevers } from '../engine/engine.ts';
import type { EngineState, LeverBounds } from '../engine/engine.ts';
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
      'number counts for a quarter; say in a few words why.',
    briefing: toBriefing(source),
    levers: describeLevers(before),
    issues: ISSUES,
    staysLocal: source.staysLocal,
  };
};

const toBriefing = ({ simulation, scenario, turn, before, history }: TurnSource): string => {
  const [last] = history;
  return [
    `You advise a company in a business simulation, ${quote(simulation.name)}.`,
    ...(simulation.description === '' ? [] : [cut(simulation.description)]),
    `What is known of the company: ${render(simulation.companyBase)}`,
    ...listOf('Taken for granted of it', simulation.assumptions),
    `The scenario is ${quote(scenario.name)}.`,
    ...(scenario.description === '' ? [] : [cut(scenario.description)]),
    ...(Object.keys(scenario.parameters).length === 0
      ? []
      : [`The world is told to be: ${render(scenario.parameters)}`]),
    `After turn ${turn - 1} the company stands at: ${render(last?.companyState ?? before.company)}`,
    `The world stands at: ${render(last?.worldState ?? before.world)}`,
    ...(last ? listOf('What happened', last.events.map(toEventLine)) : []),
    ...listOf('What was decided before, and came of it', history.map(toHistoryLine)),
    'Money is in the currency of the company, revenue is per year, burn is net cash out per ' +
      'month, and rates are percent per year.',
  ].join('\n');
};

const listOf = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `- ${line}`)];

const toEventLine = ({ label, impact, duration }: State['events'][number]): string =>
  `${label} (${impact} impact, ${duration === 1 ? 'one quarter' : `${duration} quarters`})`;

const SHOWN_FIGURES = ['revenue', 'cash', 'burn', 'employees', 'marketShare', 'netIncome'];

const toHistoryLine = ({ turn, decision, companyState }: State): string => {
  const outcome = Object.fromEntries(
    SHOWN_FIGURES.flatMap((name) => (name in companyState ? [[name, companyState[name]!]] : [])),
  );
  const levers = decision.isFallback ? 'held its course' : render({ ...decision.levers });
  return `turn ${turn}: ${levers}; then ${render(outcome)}`;
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

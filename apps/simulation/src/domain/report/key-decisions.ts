import { ablate } from '../engine/engine.ts';
import type { LeverEffect, LeverName, TurnInput } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { toInput } from '../turn/step-scenario.ts';
import type { Fact, FactUnit } from './number-lock/fact.ts';
import type { Course } from './scenario-course.ts';
import { showNumber } from './show-number.ts';

/** What one decision of one turn changed, found by playing the scenario without it. */
export type KeyDecision = LeverEffect & {
  scenario: string;
  /** Nobody wanted it: there was no money for more. */
  isForced: boolean;
};

/** Effects grow with the square of turns; of long simulations the last ones are looked at. */
const TURNS_MAX = 40;
const OF_A_SCENARIO_MAX = 4;
const DECISIONS_MAX = 6;

/** The decisions that moved the company's worth most, greatest first (C8). */
export const findKeyDecisions = (
  simulation: Pick<Simulation, 'seed' | 'turnUnit'>,
  courses: readonly Course[],
): readonly KeyDecision[] =>
  courses
    .flatMap(({ scenario, states }) => {
      const looked = states.slice(-TURNS_MAX);
      const before = states.at(-TURNS_MAX - 1)?.engineState ?? scenario.opening;
      const turns = looked.map((state): TurnInput => {
        const { parameters } = state;
        const input = toInput(simulation, { id: scenario.id, parameters });
        return { levers: state.decision.levers, turn: state.turn, ...input };
      });
      const effects = ablate(before, turns).filter(({ valuation }) => valuation !== 0);
      return effects.slice(0, OF_A_SCENARIO_MAX).map((effect) => ({
        ...effect,
        scenario: scenario.name,
        isForced: isForced(effect, states),
      }));
    })
    .toSorted((one, other) => Math.abs(other.valuation) - Math.abs(one.valuation))
    .filter(isFirstOfItsKind)
    .slice(0, DECISIONS_MAX);

/** Councils of several scenarios often do the same: it is told where it mattered most. */
const isFirstOfItsKind = (
  decision: KeyDecision,
  place: number,
  all: readonly KeyDecision[],
): boolean => all.findIndex((other) => isSameMove(other, decision)) === place;

const isSameMove = (one: KeyDecision, other: KeyDecision): boolean =>
  one.turn === other.turn && describeMove(one) === describeMove(other);

const isForced = ({ turn, lever }: LeverEffect, states: Course['states']): boolean =>
  states.some(
    ({ turn: made, decision }) =>
      made === turn &&
      decision.clamped.some((clamp) => clamp.lever === lever && clamp.reason !== 'bounds'),
  );

/** One sentence of what was done, and one of what would be otherwise. */
export const describeDecision = (decision: KeyDecision, isOnly: boolean): string => {
  const { scenario, turn, valuation, revenue, cash } = decision;
  const place = isOnly ? `Turn ${turn}` : `“${scenario}”, turn ${turn}`;
  const without = [
    `the company's valuation at the end ${compare(-valuation)}`,
    `revenue per year ${compare(-revenue)}`,
    `cash ${compare(-cash)}`,
  ];
  return (
    `${place}: ${describeMove(decision)}. Without it, ${without[0]}, ${without[1]} and ` +
    `${without[2]}.`
  );
};

const compare = (difference: number): string => {
  if (difference === 0) return 'would be the same';
  return `would be ${money(difference)} ${difference > 0 ? 'higher' : 'lower'}`;
};

const percent = (value: number): string => showNumber(Math.abs(value), 'percent');
const money = (value: number): string => showNumber(Math.abs(value), 'money');

/** What was done, as the middle of a sentence about the company. */
export const describeMove = ({ isForced: forced, ...move }: KeyDecision): string =>
  forced ? `${describeLever(move)}, for want of money` : describeLever(move);

const describeLever = ({
  lever,
  value,
  held,
}: Pick<LeverEffect, 'lever' | 'value' | 'held'>): string => {
  switch (lever) {
    case 'priceChange':
      return `${value > 0 ? 'raised' : 'cut'} prices by ${percent(value)} beyond inflation`;
    case 'marketingPct':
      return describeSpending('marketing', value, held);
    case 'rdPct':
      return describeSpending('research and development', value, held);
    case 'capexPct':
      return describeSpending('investment', value, held);
    case 'headcountChange':
      return `${value > 0 ? 'grew' : 'cut'} the staff by ${percent(value)}`;
    case 'raiseEquity':
      return `raised ${money(value)} of equity`;
    case 'debtChange':
      return value > 0 ? `borrowed ${money(value)}` : `repaid ${money(value)} of debt`;
    case 'newMarketEntry':
      return 'began to enter a further market';
    case 'costProgram':
      return `cut the overhead by ${percent(value)}`;
  }
};

const describeSpending = (what: string, value: number, held: number): string =>
  `${value > held ? 'raised' : 'lowered'} ${what} from ${percent(held)} to ${percent(value)} of ` +
  'revenue';

/** The numbers of key decisions, which a report may tell, too. */
export const toDecisionFacts = (decisions: readonly KeyDecision[]): readonly Fact[] =>
  decisions.flatMap(({ scenario, turn, lever, value, held, ...effect }) => {
    const unit = MONEY_LEVERS.has(lever) ? 'money' : 'percent';
    const of = `${LEVER_WORDS[lever]} in turn ${turn}`;
    const fact = (label: string, amount: number, as: FactUnit, isChange = false): Fact => ({
      scenario,
      label,
      value: amount,
      unit: as,
      isChange,
      text: showNumber(amount, as),
    });
    return [
      ...(lever === 'newMarketEntry'
        ? []
        : [fact(`${of}, as decided`, value, unit, CHANGES.has(lever))]),
      ...(held === 0 ? [] : [fact(`${of}, had the course been held`, held, unit)]),
      fact(`what ${of} added to the valuation at the end`, effect.valuation, 'money', true),
      fact(`what ${of} added to revenue per year`, effect.revenue, 'money', true),
      fact(`what ${of} added to cash`, effect.cash, 'money', true),
    ];
  });

/** Below zero they are cuts and repayments. */
const CHANGES: ReadonlySet<LeverName> = new Set(['priceChange', 'headcountChange', 'debtChange']);
const MONEY_LEVERS: ReadonlySet<LeverName> = new Set(['raiseEquity', 'debtChange']);

const LEVER_WORDS: Readonly<Record<LeverName, string>> = {
  priceChange: 'the change of the price',
  marketingPct: 'marketing (of revenue)',
  rdPct: 'research and development (of revenue)',
  headcountChange: 'the change of the staff',
  capexPct: 'investment (of revenue)',
  raiseEquity: 'new equity',
  debtChange: 'the change of debt',
  newMarketEntry: 'entering a further market',
  costProgram: 'the cut of the overhead',
};

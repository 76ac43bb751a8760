import {
  explainRevenue,
  REVENUE_DRIVERS,
  SHARE_DRIVERS,
  usualSpendingOf,
} from '../engine/engine.ts';
import type { EngineState, RevenueDriver, ShareDriver, WorldEvent } from '../engine/engine.ts';
import type { Simulation } from '../simulation/simulation.ts';
import { COSTS, costShareOf, figureOf, openingFigureOf, toInsolvency } from './scenario-history.ts';
import type { Cost, Figure, Insolvency, ScenarioHistory } from './scenario-history.ts';

export type Path = {
  start: number;
  end: number;
  lowest: { value: number; turn: number };
  highest: { value: number; turn: number };
};

export type Outlook = { median: number; fifthPercentile: number; insolvencyPct: number };

/**
 * Main cause of a change of the market share. It is `chance` if none of brand, quality and price
 * explains at least 30 % of the change.
 */
type ShareCause = { driver: ShareDriver | 'chance'; isUp: boolean };

export type ScenarioStory = {
  name: string;
  turns: number;
  pausedTurns: readonly number[];
  joinedTurn: number | undefined;
  lastTurn: number;
  revenue: Path;
  cash: Path;
  cashFlow: { start: number; end: number };
  margin: { start: number; end: number };
  share: { start: number; end: number };
  ebitda: number;
  /**
   * Main cause of the change of revenue. `change` is the change that it caused, in percent;
   * `hasEntered` is true if the company entered an additional market.
   */
  cause: { driver: RevenueDriver; change: number; hasEntered: boolean } | undefined;
  shareCause: ShareCause | undefined;
  spending: { marketing: number; usualMarketing: number; rd: number; usualRd: number };
  /** Percent by which the company's price exceeds the rivals' price at the end. */
  priceGap: number;
  unserved: number;
  /**
   * The cost whose share of revenue grew most from the first turn to the last, by a point at least.
   * `start` and `end` are in percent.
   */
  cost: { name: Cost; start: number; end: number } | undefined;
  inflation: { whole: number; yearly: number };
  realRevenue: number;
  equity: { amount: number; turns: readonly number[] };
  insolvent: Insolvency | undefined;
  /**
   * The company in the last turn before an insolvency that lasts until the end in which its cash
   * covered half a year, or else at the start, turn 0. `burn` is per month.
   */
  lastSolvent: { turn: number; cash: number; burn: number } | undefined;
  /** Turns in which spending was cut, because the company could not pay for it. */
  cutTurns: readonly number[];
  events: readonly StoryEvent[];
  undecidedTurns: number;
  runway: number | undefined;
  outlook: Outlook | undefined;
};

export type StoryEvent = Pick<WorldEvent, 'code' | 'label' | 'impact'> & {
  turns: readonly number[];
};

export const toStory = (
  { currentTurn }: Pick<Simulation, 'currentTurn'>,
  history: ScenarioHistory,
  outlook: Outlook | undefined,
): ScenarioStory => {
  const { scenario, states } = history;
  const [first, last] = [states[0]!, states.at(-1)!];
  const { opening } = scenario;
  const end = last.engineState;
  const revenue = toPath(history, 'revenue');
  const cash = toPath(history, 'cash');
  const burn = figureOf(last, 'burn');
  const { marketingPct, rdPct } = usualSpendingOf(end);
  return {
    name: scenario.name,
    turns: states.length,
    pausedTurns: toPausedTurns(history, currentTurn),
    joinedTurn: first.turn > 1 ? first.turn : undefined,
    lastTurn: last.turn,
    revenue,
    cash,
    cashFlow: { start: 0 - openingFigureOf(scenario, 'burn'), end: 0 - burn },
    margin: {
      start: percentOf(openingFigureOf(scenario, 'ebitda'), revenue.start),
      end: percentOf(figureOf(last, 'ebitda'), revenue.end),
    },
    share: {
      start: openingFigureOf(scenario, 'marketShare') * 100,
      end: figureOf(last, 'marketShare') * 100,
    },
    ebitda: figureOf(last, 'ebitda'),
    ...toCauses(opening, end),
    spending: {
      marketing: end.company.marketingPct,
      usualMarketing: marketingPct,
      rd: end.company.rdPct,
      usualRd: rdPct,
    },
    priceGap: percentOf(end.company.price, end.company.marketPrice) - 100,
    unserved: end.company.serviceGap * 100,
    cost: toCost(history),
    inflation: toInflation(opening, end),
    realRevenue: (revenue.end * opening.world.priceLevel) / end.world.priceLevel,
    equity: toEquity(history),
    insolvent: toInsolvency(states),
    lastSolvent: toLastSolvent(history),
    cutTurns: states
      .filter(({ decision }) => decision.clamped.some(({ reason }) => reason === 'cash'))
      .map(({ turn }) => turn),
    events: toStoryEvents(history),
    undecidedTurns: states.filter(({ decision }) => decision.isFallback).length,
    runway: burn > 0 ? cash.end / burn : undefined,
    outlook,
  };
};

const percentOf = (part: number, whole: number): number => (part / whole) * 100;

const toPath = ({ scenario, states }: ScenarioHistory, name: Figure): Path => {
  const start = openingFigureOf(scenario, name);
  const path = { lowest: { value: start, turn: 0 }, highest: { value: start, turn: 0 } };
  for (const state of states) {
    const point = { value: figureOf(state, name), turn: state.turn };
    if (point.value < path.lowest.value) path.lowest = point;
    if (point.value > path.highest.value) path.highest = point;
  }
  return { start, end: figureOf(states.at(-1)!, name), ...path };
};

const toPausedTurns = ({ states }: ScenarioHistory, currentTurn: number): number[] => {
  const playedTurns = new Set(states.map(({ turn }) => turn));
  const first = states[0]!.turn;
  return Array.from({ length: currentTurn - first + 1 }, (_, index) => first + index).filter(
    (turn) => !playedTurns.has(turn),
  );
};

const toInflation = (opening: EngineState, end: EngineState): ScenarioStory['inflation'] => {
  const level = end.world.priceLevel / opening.world.priceLevel;
  const years = (end.quarter - opening.quarter) / QUARTERS_PER_YEAR;
  return { whole: (level - 1) * 100, yearly: (level ** (1 / years) - 1) * 100 };
};

const QUARTERS_PER_YEAR = 4;

/**
 * Minimum share of the change of market share that a driver must explain to be named as its cause.
 */
const EXPLAINED_SHARE_MIN = 0.3;
/**
 * Changes of market share from this size on, as a logarithm, are not attributed to chance. They
 * usually have no single cause: a new company grows into its market.
 */
const CHANCE_MAX = 0.5;

const toCauses = (
  opening: EngineState,
  end: EngineState,
): Pick<ScenarioStory, 'cause' | 'shareCause'> => {
  const { revenue, share } = explainRevenue(opening, end);
  const driver = findMainCause(
    REVENUE_DRIVERS,
    revenue,
    end.company.revenue - opening.company.revenue,
  );
  const shareDriver = findMainCause(SHARE_DRIVERS, share, revenue.share);
  const isExplained =
    shareDriver !== undefined &&
    Math.abs(share[shareDriver]) >= EXPLAINED_SHARE_MIN * Math.abs(revenue.share);
  const hasEntered = end.company.marketsEntered > opening.company.marketsEntered;
  return {
    cause: driver && { driver, change: Math.expm1(revenue[driver]) * 100, hasEntered },
    shareCause: isExplained
      ? { driver: shareDriver, isUp: revenue.share > 0 }
      : Math.abs(revenue.share) < CHANCE_MAX
        ? { driver: 'chance', isUp: revenue.share > 0 }
        : undefined,
  };
};

const findMainCause = <Name extends string>(
  names: readonly Name[],
  parts: Readonly<Record<Name, number>>,
  whole: number,
): Name | undefined => {
  const contributionOf = (name: Name): number => parts[name] * Math.sign(whole);
  const best = names.toSorted((a, b) => contributionOf(b) - contributionOf(a))[0]!;
  return contributionOf(best) > 0 ? best : undefined;
};

/** Minimum increase of a cost, in percentage points of revenue, that is reported. */
const COST_RISE_MIN = 1;

const toCost = ({ states }: ScenarioHistory): ScenarioStory['cost'] => {
  const [first, last] = [states[0]!, states.at(-1)!];
  const [risenCost] = COSTS.map((name) => ({
    name,
    start: costShareOf(first, name),
    end: costShareOf(last, name),
  }))
    .filter(({ start, end }) => end - start >= COST_RISE_MIN)
    .toSorted((a, b) => b.end - b.start - (a.end - a.start));
  return risenCost;
};

const toEquity = ({ scenario, states }: ScenarioHistory): ScenarioStory['equity'] => {
  const turns: number[] = [];
  let amount = 0;
  let before = openingFigureOf(scenario, 'equityPaid');
  for (const state of states) {
    const equityPaid = figureOf(state, 'equityPaid');
    if (equityPaid > before) turns.push(state.turn);
    amount += equityPaid - before;
    before = equityPaid;
  }
  return { amount, turns };
};

const MONTHS_TO_ACT = 6;

const toLastSolvent = ({ scenario, states }: ScenarioHistory): ScenarioStory['lastSolvent'] => {
  const since = toInsolvency(states)?.insolventSince;
  if (since === undefined) return undefined;
  const state = states.findLast((one) => {
    const burn = figureOf(one, 'burn');
    return one.turn < since && burn > 0 && figureOf(one, 'cash') >= MONTHS_TO_ACT * burn;
  });
  const read = (name: Figure): number =>
    state ? figureOf(state, name) : openingFigureOf(scenario, name);
  return { turn: state?.turn ?? 0, cash: read('cash'), burn: read('burn') };
};

const EVENTS_MAX = 4;
const COMPANY_EVENT_CODES: ReadonlySet<string> = new Set(['insolvency']);

const toStoryEvents = ({ states }: ScenarioHistory): StoryEvent[] => {
  const significantEvents = states.flatMap(({ turn, events }) =>
    events
      .filter(({ impact, code }) => impact !== 'low' && !COMPANY_EVENT_CODES.has(code))
      .map((event) => ({ ...event, turn })),
  );
  const byCode = [
    ...Map.groupBy(significantEvents, ({ code, impact }) => `${code} ${impact}`).values(),
  ];
  return byCode
    .map((group) => {
      const { code, label, impact } = group[0]!;
      return { code, label, impact, turns: group.map(({ turn }) => turn) };
    })
    .toSorted((a, b) => Number(b.impact === 'high') - Number(a.impact === 'high'))
    .slice(0, EVENTS_MAX)
    .toSorted((a, b) => a.turns[0]! - b.turns[0]!);
};

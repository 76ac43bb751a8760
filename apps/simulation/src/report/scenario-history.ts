import type { Scenario, State } from '../simulation/simulation.ts';

/**
 * The part of a state that a report needs. Texts of agents and members of `companyBase` are
 * omitted, because all states are in memory at once: up to a thousand turns of 32 scenarios.
 */
export type ReportedState = Pick<
  State,
  'turn' | 'engineState' | 'events' | 'parameters' | 'stateHash'
> & {
  companyState: Readonly<Partial<Record<Figure | Cost, number>>>;
  decision: Pick<State['decision'], 'levers' | 'clamped' | 'isFallback'>;
};

export type ScenarioHistory = { scenario: Scenario; states: readonly ReportedState[] };

const FIGURES = [
  'revenue',
  'cash',
  'burn',
  'employees',
  'marketShare',
  'ebitda',
  'debt',
  'price',
  'valuation',
  'equityPaid',
] as const;
export type Figure = (typeof FIGURES)[number];

export const COSTS = ['directCosts', 'wages', 'marketing', 'rd', 'overhead'] as const;
export type Cost = (typeof COSTS)[number];

export const toReported = (state: State): ReportedState => {
  const { turn, engineState, companyState, events, parameters, stateHash } = state;
  const { levers, clamped, isFallback } = state.decision;
  return {
    turn,
    engineState,
    companyState: Object.fromEntries(
      [...FIGURES, ...COSTS].flatMap((name) => {
        const figureValue = companyState[name];
        return typeof figureValue === 'number' ? [[name, figureValue]] : [];
      }),
    ),
    events,
    decision: { levers, clamped, isFallback },
    parameters,
    stateHash,
  };
};

/**
 * Returns a figure of the company as the API shows it, so that flows cover the whole turn and not
 * only its last quarter. If it is missing there, returns that of the engine.
 */
export const figureOf = (
  { companyState, engineState }: Pick<ReportedState, 'companyState' | 'engineState'>,
  name: Figure,
): number => companyState[name] ?? engineState.company[name];

/**
 * Returns the cost in percent of the turn's revenue, or NaN if the state does not contain the cost.
 */
export const costShareOf = (state: ReportedState, name: Cost): number =>
  ((state.companyState[name] ?? NaN) / figureOf(state, 'revenue')) * 100;

export const openingFigureOf = ({ opening }: Scenario, name: Figure): number =>
  opening.company[name];

export const isInsolvent = ({ engineState }: Pick<State, 'engineState'>): boolean =>
  engineState.company.isInsolvent;

/**
 * Turns of an insolvency: `turn` is the first one in which the company could not pay, also if it
 * could again at the turn's end. `insolventSince` is set only if it is insolvent at the end of the
 * last turn, `solventSince` only if it is not.
 */
export type Insolvency = {
  turn: number;
  insolventSince: number | undefined;
  solventSince: number | undefined;
};

export const toInsolvency = (states: readonly ReportedState[]): Insolvency | undefined => {
  const couldNotPay = (state: ReportedState): boolean =>
    isInsolvent(state) || state.events.some(({ code }) => code === 'insolvency');
  const first = states.find(couldNotPay);
  if (!first) return undefined;
  const insolventFrom = states.findLastIndex((state) => !isInsolvent(state)) + 1;
  const last = states.findLastIndex(couldNotPay);
  const solventFrom = isInsolvent(states[last]!) ? last + 1 : last;
  return {
    turn: first.turn,
    insolventSince: states[insolventFrom]?.turn,
    solventSince: isInsolvent(states.at(-1)!) ? undefined : states[solventFrom]?.turn,
  };
};

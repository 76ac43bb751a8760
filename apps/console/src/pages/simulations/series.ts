import { readNumber } from './figure.ts';
import type { ChartedName } from './figure.ts';
import type { Forecast, Scenario, Simulation, State } from './simulations-query.ts';

/** One value for each turn; null where a scenario was paused or had not begun. */
export type Line = { scenarioId: string; values: (number | null)[] };
export type History = { turns: number[]; lines: Line[] };

type StateFigures = Pick<State, 'scenarioId' | 'turn' | 'companyState'>;
type Source = {
  scenarios: readonly Pick<Scenario, 'id' | 'forkedAtTurn'>[];
  states: readonly StateFigures[];
  companyBase: Simulation['companyBase'];
};

/**
 * Returns a line for each scenario. Turn 0 is included if the caller gave the figure for the
 * company at the start, and the states of turn 1 are known.
 */
export const toHistory = (
  { scenarios, states, companyBase }: Source,
  name: ChartedName,
): History => {
  const played = states.map(({ turn }) => turn);
  const opening = readNumber(companyBase, name);
  const first = opening !== null && played.includes(1) ? 0 : Math.min(...played);
  const turns = played.length === 0 ? [] : range(first, Math.max(...played));
  const lines = scenarios.map(({ id, forkedAtTurn }) => {
    const own = new Map(
      states
        .filter(({ scenarioId }) => scenarioId === id)
        .map(({ turn, companyState }) => [turn, readNumber(companyState, name)]),
    );
    if (forkedAtTurn === 0) own.set(0, opening);
    return { scenarioId: id, values: turns.map((turn) => own.get(turn) ?? null) };
  });
  return { turns, lines };
};

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

export const PERCENTILES = ['p5', 'p25', 'p50', 'p75', 'p95'] as const;
export type Percentile = (typeof PERCENTILES)[number];

export type Fan = {
  turns: number[];
  history: (number | null)[];
  percentiles: Record<Percentile, (number | null)[]>;
};

/**
 * Returns the history of one scenario with the forecast after it. All percentiles begin at the last
 * value of the history, so that the fan opens there.
 */
export const toFan = (
  { turns, lines }: History,
  scenarioId: string,
  forecast: { name: ChartedName; percentiles: Forecast['percentiles']; currentTurn: number },
): Fan => {
  const { name, percentiles, currentTurn } = forecast;
  const ahead = percentiles.p50[name].length;
  const past = turns.filter((turn) => turn <= currentTurn);
  const values = lines.find((line) => line.scenarioId === scenarioId)?.values ?? [];
  const last = values[past.length - 1] ?? null;
  const before = past.map((_, index) => (index === past.length - 1 ? last : null));
  return {
    turns: [...past, ...range(currentTurn + 1, currentTurn + ahead)],
    history: [...past.map((_, index) => values[index] ?? null), ...Array<null>(ahead).fill(null)],
    percentiles: Object.fromEntries(
      PERCENTILES.map((percentile) => [percentile, [...before, ...percentiles[percentile][name]]]),
    ) as Fan['percentiles'],
  };
};

/** Returns the newest state of each scenario, by its id. */
export const lastStates = (states: readonly State[]): ReadonlyMap<string, State> =>
  new Map(states.toSorted((a, b) => a.turn - b.turn).map((state) => [state.scenarioId, state]));

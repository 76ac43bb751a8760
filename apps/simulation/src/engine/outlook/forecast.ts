import type { Levers } from '../lever/lever.ts';
import { toRandomSource } from '../random/draw-quarter.ts';
import { quartersOf } from '../turn/play-turn.ts';
import type { TurnUnit } from '../turn/play-turn.ts';
import { stepQuarter } from '../turn/step-quarter.ts';
import { openDraftTurn, resetDraftTurn } from '../turn/draft-turn.ts';
import type { DraftTurn } from '../turn/draft-turn.ts';
import type { EngineState } from '../turn/engine-state.ts';
import type { Climate } from '../world/climate.ts';
import { toClimate } from '../world/climate.ts';
import type { WorldParameters } from '../world/world-parameters.ts';

export type ForecastInput = {
  readonly levers: Levers;
  readonly parameters: WorldParameters;
  readonly seed: number;
  readonly turnUnit: TurnUnit;
  readonly fromTurn: number;
  readonly turns: number;
  readonly runs: number;
};

const PERCENTILES = { p5: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
type PercentileName = keyof typeof PERCENTILES;

type ForecastPath = {
  readonly revenue: number[];
  readonly cash: number[];
  readonly marketShare: number[];
};

type PathInterval = { readonly low: ForecastPath; readonly high: ForecastPath };

export type Forecast = {
  readonly percentiles: Readonly<Record<PercentileName, ForecastPath>>;
  readonly intervals: Readonly<Record<PercentileName, PathInterval>>;
  readonly insolvency: Interval;
};

/**
 * Runs a Monte Carlo forecast. Every second run mirrors the random numbers of the run before
 * (antithetic variates), which reduces the noise of the median.
 */
export const forecast = (state: EngineState, input: ForecastInput): Forecast => {
  const { turns, runs, fromTurn, parameters } = input;
  const climates = Array.from({ length: turns }, (_, turnIndex) =>
    toClimate(parameters, fromTurn + turnIndex),
  );
  const samples: Samples = {
    revenue: climates.map(() => new Float64Array(runs)),
    cash: climates.map(() => new Float64Array(runs)),
    marketShare: climates.map(() => new Float64Array(runs)),
  };
  const draft = openDraftTurn(state, climates[0]!);
  let insolvent = 0;
  for (let run = 0; run < runs; run += 1) {
    resetDraftTurn(draft, state);
    if (playRun(draft, { climates, samples, run, input })) insolvent += 1;
  }
  return { ...toPercentiles(samples, runs), insolvency: wilsonInterval(insolvent, runs) };
};

type Samples = Readonly<Record<keyof ForecastPath, readonly Float64Array[]>>;

type Run = {
  readonly climates: readonly Climate[];
  readonly samples: Samples;
  readonly run: number;
  readonly input: ForecastInput;
};

const playRun = (draft: DraftTurn, { climates, samples, run, input }: Run): boolean => {
  const { levers, seed, turnUnit } = input;
  const random = toRandomSource(seed, { number: 1 + (run >> 1), isMirrored: (run & 1) === 1 });
  const quarters = quartersOf(turnUnit);
  let isInsolvent = false;
  for (let turn = 0; turn < climates.length; turn += 1) {
    draft.climate = climates[turn]!;
    let revenue = 0;
    for (let quarter = 0; quarter < quarters; quarter += 1) {
      stepQuarter(draft, levers, random);
      revenue += draft.flows.revenue;
      isInsolvent ||= draft.company.isInsolvent;
    }
    samples.revenue[turn]![run] = (revenue * 4) / quarters;
    samples.cash[turn]![run] = draft.company.cash;
    samples.marketShare[turn]![run] = draft.company.marketShare;
  }
  return isInsolvent;
};

const toPercentiles = (
  samples: Samples,
  runs: number,
): Pick<Forecast, 'percentiles' | 'intervals'> => {
  // No sample is negative, so that the bits of two samples, read as integers, compare like the
  // numbers. V8 sorts integers several times faster.
  for (const list of Object.values(samples).flat()) new BigInt64Array(list.buffer).sort();
  // Percentiles are values of actual runs; they are not interpolated.
  const pathAt = (rank: number): ForecastPath => ({
    revenue: samples.revenue.map((list) => list[rank - 1]!),
    cash: samples.cash.map((list) => list[rank - 1]!),
    marketShare: samples.marketShare.map((list) => list[rank - 1]!),
  });
  const ranks = Object.entries(PERCENTILES).map(
    ([name, percentile]) => [name as PercentileName, percentileRanks(percentile, runs)] as const,
  );
  const byPercentile = <T>(
    read: (one: (typeof ranks)[number][1]) => T,
  ): Record<PercentileName, T> =>
    Object.fromEntries(ranks.map(([name, one]) => [name, read(one)])) as Record<PercentileName, T>;
  return {
    percentiles: byPercentile(({ rank }) => pathAt(rank)),
    intervals: byPercentile(({ low, high }) => ({ low: pathAt(low), high: pathAt(high) })),
  };
};

type PercentileRanks = {
  readonly rank: number;
  /** Ranks of the draws that bound the 95 % confidence interval of the true percentile. */
  readonly low: number;
  readonly high: number;
};

const TAIL = 0.025;

/**
 * Returns the rank of `percentile` among `runs` sorted draws, and the ranks of its confidence
 * interval, which follow from the number of draws below the true percentile being binomial. If
 * there are too few draws for a bound, it is the first or last rank, and the confidence is lower.
 */
export const percentileRanks = (percentile: number, runs: number): PercentileRanks => {
  const below = binomial(runs, percentile);
  let low = 0;
  for (let mass = below[0]!; mass <= TAIL; mass += below[low]!) low += 1;
  let highRank = runs;
  for (let mass = below[runs]!; mass <= TAIL; mass += below[highRank]!) highRank -= 1;
  return {
    rank: Math.max(1, Math.ceil(percentile * runs)),
    low: Math.max(1, low),
    high: Math.min(runs, highRank + 1),
  };
};

/**
 * Returns the binomial probability of each number of hits in `runs`. Starts at the likeliest
 * number, so that no factorial is needed, and uses + - × ÷ only, so that results are equal on every
 * machine.
 */
const binomial = (runs: number, percentile: number): Float64Array => {
  const chances = new Float64Array(runs + 1);
  const odds = percentile / (1 - percentile);
  const middle = Math.min(runs, Math.floor((runs + 1) * percentile));
  chances[middle] = 1;
  for (let hits = middle; hits < runs; hits += 1) {
    chances[hits + 1] = (chances[hits]! * odds * (runs - hits)) / (hits + 1);
  }
  for (let hits = middle; hits > 0; hits -= 1) {
    chances[hits - 1] = (chances[hits]! * hits) / (odds * (runs - hits + 1));
  }
  const sum = chances.reduce((total, item) => total + item, 0);
  return chances.map((item) => item / sum);
};

type Interval = {
  readonly probability: number;
  readonly low: number;
  readonly high: number;
};

const Z = 1.959964;

/** Returns `hits` as a share of `runs` with its 95 % confidence interval (Wilson 1927). */
export const wilsonInterval = (hits: number, runs: number): Interval => {
  const share = hits / runs;
  const z2 = Z * Z;
  const middle = (share + z2 / (2 * runs)) / (1 + z2 / runs);
  const spread = Math.sqrt((share * (1 - share)) / runs + z2 / (4 * runs * runs));
  const half = (Z * spread) / (1 + z2 / runs);
  return {
    probability: share,
    low: hits === 0 ? 0 : Math.max(0, middle - half),
    high: hits === runs ? 1 : Math.min(1, middle + half),
  };
};

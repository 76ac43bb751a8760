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
import { percentileRanks, wilsonInterval } from './percentile-ranks.ts';
import type { Interval } from './percentile-ranks.ts';

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
export type PercentileName = keyof typeof PERCENTILES;

export type ForecastPath = {
  readonly revenue: readonly number[];
  readonly cash: readonly number[];
  readonly marketShare: readonly number[];
};

export type PathInterval = { readonly low: ForecastPath; readonly high: ForecastPath };

export type Forecast = {
  readonly percentiles: Readonly<Record<PercentileName, ForecastPath>>;
  readonly intervals: Readonly<Record<PercentileName, PathInterval>>;
  readonly insolvency: Interval;
};

/**
 * Runs a Monte Carlo forecast. Every second run mirrors the random numbers of the run before
 * (antithetic variates), which halves the noise of the median.
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
  for (const lists of Object.values(samples)) for (const list of lists) list.sort();
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

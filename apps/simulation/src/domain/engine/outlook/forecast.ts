import type { Levers } from '../lever/lever.ts';
import { toLuck } from '../luck/draw-quarter.ts';
import { quartersOf } from '../turn/play-turn.ts';
import type { TurnUnit } from '../turn/play-turn.ts';
import { stepQuarter } from '../turn/step-quarter.ts';
import { openWorkbench, resetWorkbench } from '../turn/workbench.ts';
import type { Workbench } from '../turn/workbench.ts';
import type { EngineState } from '../turn/engine-state.ts';
import type { Climate } from '../world/climate.ts';
import { toClimate } from '../world/climate.ts';
import type { WorldParameters } from '../world/world-parameters.ts';
import { percentileRanks } from './percentile-ranks.ts';
import { wilsonInterval } from './wilson-interval.ts';
import type { Interval } from './wilson-interval.ts';

export type ForecastInput = {
  /** Held in every quarter; `holdLevers` for a company that goes on as it is. */
  readonly levers: Levers;
  readonly parameters: WorldParameters;
  readonly seed: number;
  readonly turnUnit: TurnUnit;
  /** The first turn that is forecast. */
  readonly fromTurn: number;
  readonly turns: number;
  readonly runs: number;
};

const PERCENTILES = { p5: 0.05, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
export type PercentileName = keyof typeof PERCENTILES;

/** One number a turn: revenue per year, cash and market share at the turn's end. */
export type ForecastPath = {
  readonly revenue: readonly number[];
  readonly cash: readonly number[];
  readonly marketShare: readonly number[];
};

export type PathInterval = { readonly low: ForecastPath; readonly high: ForecastPath };

export type Forecast = {
  readonly percentiles: Readonly<Record<PercentileName, ForecastPath>>;
  /** Of each percentile: where that of endless runs lies with 95 % certainty. */
  readonly intervals: Readonly<Record<PercentileName, PathInterval>>;
  /** Of being insolvent at some time, with its 95 % Wilson interval. */
  readonly insolvency: Interval;
};

/**
 * Many futures of one state, without a model and without agents. Every second run is the mirror of
 * the one before it, which halves the noise of the middle.
 */
export const forecast = (state: EngineState, input: ForecastInput): Forecast => {
  const { turns, runs, fromTurn, parameters } = input;
  const climates = Array.from({ length: turns }, (_, at) => toClimate(parameters, fromTurn + at));
  const samples: Samples = {
    revenue: climates.map(() => new Float64Array(runs)),
    cash: climates.map(() => new Float64Array(runs)),
    marketShare: climates.map(() => new Float64Array(runs)),
  };
  const bench = openWorkbench(state, climates[0]!);
  let insolvent = 0;
  for (let run = 0; run < runs; run += 1) {
    resetWorkbench(bench, state);
    if (playRun(bench, { climates, samples, run, input })) insolvent += 1;
  }
  return { ...toPercentiles(samples, runs), insolvency: wilsonInterval(insolvent, runs) };
};

/** A list of runs for each turn. */
type Samples = Readonly<Record<keyof ForecastPath, readonly Float64Array[]>>;

type Run = {
  readonly climates: readonly Climate[];
  readonly samples: Samples;
  readonly run: number;
  readonly input: ForecastInput;
};

/** Answers whether the company was insolvent at some time. */
const playRun = (bench: Workbench, { climates, samples, run, input }: Run): boolean => {
  const { levers, seed, turnUnit } = input;
  const luck = toLuck(seed, { number: 1 + (run >> 1), isMirrored: (run & 1) === 1 });
  const quarters = quartersOf(turnUnit);
  let isInsolvent = false;
  for (let turn = 0; turn < climates.length; turn += 1) {
    bench.climate = climates[turn]!;
    let revenue = 0;
    for (let quarter = 0; quarter < quarters; quarter += 1) {
      stepQuarter(bench, levers, luck);
      revenue += bench.flows.revenue;
      isInsolvent ||= bench.company.isInsolvent;
    }
    samples.revenue[turn]![run] = (revenue * 4) / quarters;
    samples.cash[turn]![run] = bench.company.cash;
    samples.marketShare[turn]![run] = bench.company.marketShare;
  }
  return isInsolvent;
};

const toPercentiles = (
  samples: Samples,
  runs: number,
): Pick<Forecast, 'percentiles' | 'intervals'> => {
  for (const lists of Object.values(samples)) for (const list of lists) list.sort();
  // A value that a run really had.
  const pathAt = (rank: number): ForecastPath => ({
    revenue: samples.revenue.map((list) => list[rank - 1]!),
    cash: samples.cash.map((list) => list[rank - 1]!),
    marketShare: samples.marketShare.map((list) => list[rank - 1]!),
  });
  const ranks = Object.entries(PERCENTILES).map(
    ([name, part]) => [name as PercentileName, percentileRanks(part, runs)] as const,
  );
  const each = <T>(read: (one: (typeof ranks)[number][1]) => T): Record<PercentileName, T> =>
    Object.fromEntries(ranks.map(([name, one]) => [name, read(one)])) as Record<PercentileName, T>;
  return {
    percentiles: each(({ rank }) => pathAt(rank)),
    intervals: each(({ low, high }) => ({ low: pathAt(low), high: pathAt(high) })),
  };
};

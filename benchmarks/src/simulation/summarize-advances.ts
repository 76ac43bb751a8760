import type { CallTimes } from '../debates/council-provider.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import type { CpuAccount } from '../measure-row.ts';
import { atMost, PARTS_COLUMN, toTable } from '../report/print-report.ts';
import type { Aim, Table } from '../report/print-report.ts';
import { medianRows } from '../report/summarize-rows.ts';

export type AdvanceLoad = {
  /** Number of scenarios, which advance concurrently. */
  scenarios: number;
  /** Number of agents in each panel. */
  agents: number;
  /** The fake provider's delay before each answer. */
  delayMs: number;
};

/**
 * Measurement of one row in one benchmark round; times in milliseconds, CPU in seconds per 1,000
 * simulation turns.
 */
export type AdvanceRow = AdvanceLoad &
  CpuAccount & {
    round: number;
    turns: number;
    wallMs: LatencySummary;
    criticalMs: LatencySummary;
    /** Duration divided by the critical path. */
    ratio: LatencySummary;
    beginMs: LatencySummary;
    tailMs: LatencySummary;
  };

export type AdvanceSummary = AdvanceLoad & {
  wallMs: number;
  criticalMs: number;
  ratio: number;
  beginMs: number;
  tailMs: number;
  /** Duration divided by the duration of the row with the fewest scenarios and the same delay. */
  growth: number;
  cpuPer1000: number;
  cpuPer1000By: Readonly<Record<string, number>>;
};

/** Returns one summary per row, in the order of measurement. */
export const summarizeAdvances = (rows: readonly AdvanceRow[]): AdvanceSummary[] => {
  const medians = medianRows(rows, ({ scenarios, delayMs }) => `${scenarios} ${delayMs}`);
  const all = medians.map(({ wallMs, criticalMs, ratio, beginMs, tailMs, ...row }) => ({
    ...row,
    wallMs: wallMs.p50,
    criticalMs: criticalMs.p50,
    ratio: ratio.p50,
    beginMs: beginMs.p50,
    tailMs: tailMs.p50,
  }));
  const minScenarios = Math.min(...all.map(({ scenarios }) => scenarios));
  return all.map((row) => {
    const reference = all.find(
      (one) => one.scenarios === minScenarios && one.delayMs === row.delayMs,
    )!;
    return { ...row, growth: row.wallMs / reference.wallMs };
  });
};

export const toAdvanceTable = (rows: readonly AdvanceSummary[]): Table =>
  toTable('turns, councils of two rounds; ms, medians; CPU in seconds per 1,000 turns', rows, [
    ['scenarios', ({ scenarios }) => String(scenarios)],
    ['agents', ({ agents }) => String(agents)],
    ['delay', ({ delayMs }) => String(delayMs)],
    ['wall', ({ wallMs }) => wallMs.toFixed(1)],
    ['critical', ({ criticalMs }) => criticalMs.toFixed(1)],
    ['ratio', ({ ratio }) => ratio.toFixed(3)],
    ['growth', ({ growth }) => growth.toFixed(2)],
    ['begin', ({ beginMs }) => beginMs.toFixed(1)],
    ['tail', ({ tailMs }) => tailMs.toFixed(1)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(1)],
    PARTS_COLUMN,
  ]);

const RATIO_AIM = 1.2;

/**
 * Compares the rows with the longest provider delay with their aims. An unmeasured aim counts as
 * missed.
 */
export const judgeAdvances = (
  rows: readonly AdvanceSummary[],
  { scenarios, delaysMs }: { scenarios: readonly number[]; delaysMs: readonly number[] },
): Aim[] => {
  const longestDelayMs = Math.max(...delaysMs);
  return scenarios.map((count) =>
    atMost(
      `p50 of wall over critical path, ${count} scenarios, ${longestDelayMs} ms`,
      'times',
      RATIO_AIM,
      rows.find((row) => row.scenarios === count && row.delayMs === longestDelayMs)?.ratio ??
        Number.NaN,
    ),
  );
};

/**
 * Start and end of an advance at the client, and its calls at the provider, in milliseconds on one
 * clock.
 */
export type AdvanceTimes = { sentAt: number; endedAt: number; calls: readonly CallTimes[] };

export type AdvancePath = {
  wallMs: number;
  /**
   * Time of the slowest scenario, summed over the slowest call of each of its rounds. Scenarios run
   * concurrently, so this is the minimum duration for any orchestration.
   */
  criticalMs: number;
  /** Time from the client's request to the first provider call. */
  beginMs: number;
  /** Time from the provider's last byte to the client's last byte: the engine and the commit. */
  tailMs: number;
};

/** Splits an advance's duration into its parts. Throws if no model was called. */
export const toAdvancePath = ({ sentAt, endedAt, calls }: AdvanceTimes): AdvancePath => {
  if (calls.length === 0) throw new Error('An advance made no model call.');
  const durationOf = (call: CallTimes): number => call.endedAt - call.arrivedAt;
  const councils = [...Map.groupBy(calls, ({ scenario }) => scenario).values()].map((council) =>
    [...Map.groupBy(council, ({ round }) => round).values()]
      .map((round) => Math.max(...round.map(durationOf)))
      .reduce((sum, slowest) => sum + slowest, 0),
  );
  return {
    wallMs: endedAt - sentAt,
    criticalMs: Math.max(...councils),
    beginMs: Math.min(...calls.map(({ arrivedAt }) => arrivedAt)) - sentAt,
    tailMs: endedAt - Math.max(...calls.map((call) => call.endedAt)),
  };
};

import type { CpuAccount } from '../measure-row.ts';
import type { LatencySummary } from '../load/latency-summary.ts';
import { atMost } from '../report/aim.ts';
import type { Aim } from '../report/aim.ts';
import { median, medianByName } from '../report/median.ts';
import { listParts } from '../report/print-report.ts';
import type { Table } from '../report/print-table.ts';

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
  const groups = Map.groupBy(rows, ({ scenarios, delayMs }) => `${scenarios} ${delayMs}`);
  const all = [...groups.values()].map((group) => {
    const { scenarios, agents, delayMs } = group[0]!;
    const medianOf = (read: (row: AdvanceRow) => number): number => median(group.map(read));
    return {
      scenarios,
      agents,
      delayMs,
      wallMs: medianOf((row) => row.wallMs.p50),
      criticalMs: medianOf((row) => row.criticalMs.p50),
      ratio: medianOf((row) => row.ratio.p50),
      beginMs: medianOf((row) => row.beginMs.p50),
      tailMs: medianOf((row) => row.tailMs.p50),
      cpuPer1000: medianOf((row) => row.cpuPer1000),
      cpuPer1000By: medianByName(group.map((row) => row.cpuPer1000By)),
    };
  });
  const minScenarios = Math.min(...all.map(({ scenarios }) => scenarios));
  return all.map((row) => {
    const reference = all.find(
      (one) => one.scenarios === minScenarios && one.delayMs === row.delayMs,
    )!;
    return { ...row, growth: row.wallMs / reference.wallMs };
  });
};

export const toAdvanceTable = (rows: readonly AdvanceSummary[]): Table => ({
  title: 'turns, councils of two rounds; ms, medians; CPU in seconds per 1,000 turns',
  headings: [
    ...['scenarios', 'agents', 'delay', 'wall', 'critical', 'ratio', 'growth', 'begin', 'tail'],
    ...['CPU', 'of'],
  ],
  rows: rows.map((row) => [
    String(row.scenarios),
    String(row.agents),
    String(row.delayMs),
    row.wallMs.toFixed(1),
    row.criticalMs.toFixed(1),
    row.ratio.toFixed(3),
    row.growth.toFixed(2),
    row.beginMs.toFixed(1),
    row.tailMs.toFixed(1),
    row.cpuPer1000.toFixed(1),
    listParts(row.cpuPer1000By),
  ]),
});

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

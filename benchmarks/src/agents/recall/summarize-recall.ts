import type { CpuSeconds } from '../../cpu/cpu-account.ts';
import type { RowMeasurement } from '../../measure-row.ts';
import { atMost } from '../../report/aim.ts';
import type { Aim } from '../../report/aim.ts';
import { median, medianByName } from '../../report/median.ts';
import { listParts } from '../../report/print-report.ts';
import type { Table } from '../../report/print-table.ts';
import { GLOBAL_MEMORIES, OWN_MEMORIES } from './populate-memories.ts';

export type RecallSystem = 'agents' | 'plain';

export type RecallRow = RowMeasurement & {
  system: RecallSystem;
  load: string;
  inFlight: number;
  round: number;
  memoriesPerCall: number;
};

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * calls.
 */
export type RecallSummary = Pick<RecallRow, 'system' | 'load' | 'inFlight' | 'memoriesPerCall'> & {
  perSecond: number;
  p50: number;
  p95: number;
  p99: number;
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  /** Figures relative to the plain `pg` statements with the same load. */
  ratios: Readonly<Record<string, number>>;
};

/** Name of the load that recalls all memories of an agent, as every chat turn does. */
export const RECALL_LOAD = `recall of ${OWN_MEMORIES + GLOBAL_MEMORIES}`;

/** Returns one summary per row, in the order of measurement. */
export const summarizeRecall = (rows: readonly RecallRow[]): RecallSummary[] => {
  const groups = Map.groupBy(rows, (row) => `${row.load} ${row.inFlight} ${row.system}`);
  const medians = [...groups.values()].map(toMedians);
  return medians.map((row) => {
    const plain = medians.find(
      ({ system, load, inFlight }) =>
        system === 'plain' && load === row.load && inFlight === row.inFlight,
    );
    if (!plain || plain === row) return row;
    const ratios = {
      'p50 of plain': row.p50 / plain.p50,
      'p95 of plain': row.p95 / plain.p95,
      'CPU of plain': row.cpuPer1000 / plain.cpuPer1000,
    };
    return { ...row, ratios };
  });
};

const toMedians = (rounds: readonly RecallRow[]): RecallSummary => {
  const { system, load, inFlight } = rounds[0]!;
  return {
    system,
    load,
    inFlight,
    memoriesPerCall: median(rounds.map(({ memoriesPerCall }) => memoriesPerCall)),
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    p50: median(rounds.map(({ latencyMs }) => latencyMs.p50)),
    p95: median(rounds.map(({ latencyMs }) => latencyMs.p95)),
    p99: median(rounds.map(({ latencyMs }) => latencyMs.p99)),
    cpuPer1000: median(rounds.map(({ cpuPer1000 }) => cpuPer1000)),
    cpuPer1000By: medianByName(rounds.map(({ cpuPer1000By }) => cpuPer1000By)),
    ratios: {},
  };
};

export const toRecallTable = (rows: readonly RecallSummary[]): Table => {
  const ratioNames = [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))];
  return {
    title: 'memories; medians; times in ms, CPU in seconds per 1,000 calls',
    headings: ['load', 'at once', 'system', '/s', 'p50', 'p95', 'p99', 'CPU', ...ratioNames, 'of'],
    rows: rows.map((row) => [
      row.load,
      String(row.inFlight),
      row.system,
      row.perSecond.toFixed(0),
      ...(['p50', 'p95', 'p99'] as const).map((name) => row[name].toFixed(2)),
      row.cpuPer1000.toFixed(3),
      ...ratioNames.map((name) => row.ratios[name]?.toFixed(2) ?? ''),
      listParts(row.cpuPer1000By),
    ]),
  };
};

const P95_AIM_MS = 5;

/**
 * Judges the p95 of sequential recalls only, because concurrent recalls wait for each other. An
 * unmeasured aim counts as missed.
 */
export const judgeRecall = (rows: readonly RecallSummary[]): Aim[] => {
  const row = rows.find(
    (one) => one.system === 'agents' && one.load === RECALL_LOAD && one.inFlight === 1,
  );
  const name = `p95 of ${RECALL_LOAD}, 1 at once`;
  return [atMost(name, 'ms', P95_AIM_MS, row?.p95 ?? Number.NaN)];
};

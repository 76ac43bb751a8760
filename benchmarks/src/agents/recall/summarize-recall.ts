import type { RowMeasurement } from '../../measure-row.ts';
import { atMost, PARTS_COLUMN, ratioColumns, toTable } from '../../report/print-report.ts';
import type { Aim, Table } from '../../report/print-report.ts';
import { medianRows } from '../../report/summarize-rows.ts';
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
export type RecallSummary = Omit<RecallRow, 'round' | 'latencyMs'> & {
  p50: number;
  p95: number;
  p99: number;
  /** Figures relative to the plain `pg` statements with the same load. */
  ratios: Readonly<Record<string, number>>;
};

/** Name of the load that recalls all memories of an agent, as every chat turn does. */
export const RECALL_LOAD = `recall of ${OWN_MEMORIES + GLOBAL_MEMORIES}`;

/** Returns one summary per row, in the order of measurement. */
export const summarizeRecall = (rows: readonly RecallRow[]): RecallSummary[] => {
  const medians = medianRows(rows, (row) => `${row.load} ${row.inFlight} ${row.system}`).map(
    ({ latencyMs: { p50, p95, p99 }, ...row }) => ({ ...row, p50, p95, p99, ratios: {} }),
  );
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

export const toRecallTable = (rows: readonly RecallSummary[]): Table =>
  toTable('memories; medians; times in ms, CPU in seconds per 1,000 calls', rows, [
    ['load', ({ load }) => load],
    ['at once', ({ inFlight }) => String(inFlight)],
    ['system', ({ system }) => system],
    ['/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['p50', ({ p50 }) => p50.toFixed(2)],
    ['p95', ({ p95 }) => p95.toFixed(2)],
    ['p99', ({ p99 }) => p99.toFixed(2)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(3)],
    ...ratioColumns(rows),
    PARTS_COLUMN,
  ]);

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

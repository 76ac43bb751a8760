import type { RowChoice } from './gateway/gateway-loads.ts';
import type { Pace } from './pace.ts';
import type { Aim } from './report/aim.ts';
import type { Table } from './report/print-table.ts';

export type BenchContext = {
  pace: Pace;
  /** Selects rows of the gateway benchmark. */
  choice: RowChoice;
  /** The folder for databases and logs. */
  stateDir: string;
  /** Closes everything that the benchmark started, also on interruption. */
  resources: AsyncDisposableStack;
  log: (line: string) => void;
};

/** Thrown if the machine lacks a required program. */
export class CannotMeasure extends Error {}

/** Everything but `tables` is written to the result file. */
export type BenchResult = {
  config: object;
  /** The measurements of every round of every row. */
  rows: readonly object[];
  summary: object;
  tables: readonly Table[];
  /** The results of the checks after the load. */
  checks: object;
  aims: readonly Aim[];
  /** The reasons why rows are invalid; they fail the run after its report. */
  failures?: readonly string[];
};

export class RowsFailed extends Error {}

export type Bench = (context: BenchContext) => Promise<BenchResult>;

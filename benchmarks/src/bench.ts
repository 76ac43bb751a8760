import type { RowChoice } from './gateway/gateway-loads.ts';
import type { Pace } from './pace.ts';
import type { Aim } from './report/aim.ts';
import type { Table } from './report/print-table.ts';

/** What a benchmark gets to work with. */
export type BenchContext = {
  pace: Pace;
  /** Which rows of the gateway are wanted. */
  choice: RowChoice;
  /** A folder for databases and logs. */
  stateDir: string;
  /** Ends whatever the benchmark started, whether it finishes or is broken off. */
  resources: AsyncDisposableStack;
  /** Tells a person what is going on. */
  tell: (line: string) => void;
};

/** This machine lacks what a benchmark measures with. */
export class CannotMeasure extends Error {}

/** What a benchmark found; all of it but the tables goes into the result file. */
export type BenchResult = {
  config: object;
  /** Every round of every row. */
  rows: readonly object[];
  summary: object;
  /** The summary for people. */
  tables: readonly Table[];
  /** What was verified about what the measured calls left behind. */
  checks: object;
  aims: readonly Aim[];
  /** Rows that count for nothing, and why; they fail the run when all is printed and kept. */
  failures?: readonly string[];
};

/** Some rows failed. */
export class RowsFailed extends Error {}

/** One benchmark: measures, checks what was measured, and compares. */
export type Bench = (context: BenchContext) => Promise<BenchResult>;

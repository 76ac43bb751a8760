import type { RowChoice } from './gateway/gateway-loads.ts';
import type { Preset } from './preset.ts';
import type { Aim, Table } from './report/print-report.ts';

export type BenchContext = {
  preset: Preset;
  /** Restricts the gateway benchmark to some of its rows. */
  choice: RowChoice;
  /** Folder with the packages of other gateways, which are measured beside Witan's if set. */
  peersDir: string | undefined;
  /** Temporary folder for databases and logs. */
  stateDir: string;
  /** Everything that the benchmark opens; disposed when the benchmark ends or is interrupted. */
  resources: AsyncDisposableStack;
  log: (line: string) => void;
};

/** Thrown if the machine lacks a program that the benchmark needs. */
export class CannotMeasure extends Error {}

/** Result of a benchmark; everything but `tables` is written to the result file. */
export type BenchResult = {
  config: object;
  /** One measurement for each row and benchmark round. */
  rows: readonly object[];
  summary: object;
  /** Of the gateway: memory of the systems, the floor by piece, and stages and counts of a call. */
  memory?: object;
  floor?: object;
  inside?: object;
  tables: readonly Table[];
  /** Results of the consistency checks after the load. */
  checks: object;
  aims: readonly Aim[];
  /** Reasons why rows are invalid. If there are any, the run fails after the report is printed. */
  failures?: readonly string[];
};

/** Result of one part of a benchmark, with a table of its own. */
export type BenchPart = Pick<BenchResult, 'config' | 'rows' | 'summary' | 'checks' | 'aims'> & {
  name: string;
  table: Table;
};

export class RowsFailed extends Error {}

export type Bench = (context: BenchContext) => Promise<BenchResult>;

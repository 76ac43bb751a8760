import type { RowChoice } from './gateway/gateway-loads.ts';
import type { Pace } from './pace.ts';
import type { Aim } from './report/aim.ts';
import type { ComparedRow } from './report/print-report.ts';
import type { RawRow } from './report/summarize-rows.ts';

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

/** What a benchmark found; all of it goes into the result file. */
export type BenchResult = {
  config: object;
  rows: readonly RawRow[];
  summary: readonly ComparedRow[];
  /** What was verified about what the measured calls left behind. */
  checks: object;
  aims: readonly Aim[];
};

/** One benchmark: measures, checks what was measured, and compares. */
export type Bench = (context: BenchContext) => Promise<BenchResult>;

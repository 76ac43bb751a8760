import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { RowMeasurement } from '../measure-row.ts';
import { medianRows } from './median.ts';

export type RowName = { system: string; load: string; inFlight: number };

/** Measurement of one row in one benchmark round, as in a result file. */
export type RawRow = RowName & RowMeasurement & { round: number };

/**
 * Medians of a row over all benchmark rounds; times in milliseconds, CPU in seconds per 1,000
 * calls.
 */
export type SummaryRow = RowName & {
  perSecond: number;
  p50: number;
  p99: number;
  firstByteP50?: number;
  firstByteP99?: number;
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

/** Returns one summary per row, in the order of measurement. */
export const summarizeRows = (rows: readonly RawRow[]): SummaryRow[] =>
  medianRows(rows, (row) => `${row.load} ${row.inFlight} ${row.system}`).map(
    ({ latencyMs: { p50, p99 }, firstByteMs, ...row }) => ({
      ...row,
      p50,
      p99,
      ...(firstByteMs ? { firstByteP50: firstByteMs.p50, firstByteP99: firstByteMs.p99 } : {}),
    }),
  );

/**
 * Returns the summary of the row with this system, load and concurrency. Throws if it was not
 * measured.
 */
export const findRow = (rows: readonly SummaryRow[], name: RowName): SummaryRow => {
  const found = rows.find(
    ({ system, load, inFlight }) =>
      system === name.system && load === name.load && inFlight === name.inFlight,
  );
  if (!found) throw new Error(`${name.system}, ${name.load}, ${name.inFlight}: not measured.`);
  return found;
};

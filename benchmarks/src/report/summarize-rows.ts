import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { RowMeasurement } from '../measure-row.ts';

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

/** Returns the row with this system, load and concurrency. Throws if it was not measured. */
export const findRow = <Row extends RowName>(rows: readonly Row[], name: RowName): Row => {
  const found = rows.find(
    ({ system, load, inFlight }) =>
      system === name.system && load === name.load && inFlight === name.inFlight,
  );
  if (!found) throw new Error(`${name.system}, ${name.load}, ${name.inFlight}: not measured.`);
  return found;
};

/** Returns the middle value, or the mean of the two middle ones. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
};

/**
 * Returns one object for each group of rows with the same key, in the order of measurement. Its
 * numbers are the medians over the group, at any depth; other values are those of the first row.
 */
export const medianRows = <Row extends { round: number }>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Omit<Row, 'round'>[] =>
  [...Map.groupBy(rows, keyOf).values()].map((group) => {
    const { round: _, ...medians } = mergeByMedian(group) as Row;
    return medians;
  });

/** A number that some members lack counts as 0, such as the CPU of a process that had ended. */
const mergeByMedian = (values: readonly unknown[]): unknown => {
  const first = values.find((one) => one !== undefined);
  if (typeof first === 'number') return median(values.map((one) => Number(one ?? 0)));
  if (typeof first !== 'object' || first === null) return first;
  const present = values.filter((one) => one !== undefined) as Record<string, unknown>[];
  return Object.fromEntries(
    [...new Set(present.flatMap(Object.keys))].map((name) => [
      name,
      mergeByMedian(present.map((one) => one[name])),
    ]),
  );
};

import type { Aim } from './aim.ts';
import { printTable } from './print-table.ts';
import type { SummaryRow } from './summarize-rows.ts';

/** A summary row beside the reference's row of the same load. */
export type ComparedRow = SummaryRow & { ratios: Readonly<Record<string, number>> };

/** Prints the medians of a benchmark, and how its aims fared. */
export const printReport = (
  title: string,
  rows: readonly ComparedRow[],
  aims: readonly Aim[],
): void => {
  const parts = (row: SummaryRow): string =>
    Object.entries(row.cpuPer1000By)
      .map(([name, seconds]) => `${name} ${seconds.toFixed(3)}`)
      .join(', ');
  const ratioNames = [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))];
  printTable(
    `${title}: medians; times in ms, CPU in seconds per 1,000 calls`,
    [
      'load',
      'at once',
      'system',
      'calls/s',
      'p50',
      'p99',
      'first byte',
      'p99',
      'CPU',
      ...ratioNames,
      'of',
    ],
    rows.map((row) => [
      row.load,
      String(row.inFlight),
      row.system,
      row.perSecond.toFixed(0),
      row.p50.toFixed(2),
      row.p99.toFixed(2),
      row.firstByteP50?.toFixed(2) ?? '',
      row.firstByteP99?.toFixed(2) ?? '',
      row.cpuPer1000.toFixed(3),
      ...ratioNames.map((name) => row.ratios[name]?.toFixed(2) ?? ''),
      parts(row),
    ]),
  );
  printTable(
    `${title}: aims`,
    ['aim', 'wanted', 'measured', ''],
    aims.map(({ name, unit, aim, measured, met }) => [
      name,
      `${aim} ${unit}`,
      `${measured.toFixed(2)} ${unit}`,
      met ? 'met' : 'MISSED',
    ]),
  );
};

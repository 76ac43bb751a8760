import type { Aim } from './aim.ts';
import { printTable } from './print-table.ts';
import type { Table } from './print-table.ts';
import type { SummaryRow } from './summarize-rows.ts';

/** A summary row with its ratios to a reference. */
export type ComparedRow = SummaryRow & { ratios: Readonly<Record<string, number>> };

export const printReport = (name: string, tables: readonly Table[], aims: readonly Aim[]): void => {
  for (const { title, headings, rows } of tables) printTable(`${name}: ${title}`, headings, rows);
  printTable(
    `${name}: aims`,
    ['aim', 'wanted', 'measured', ''],
    aims.map(({ name: aimName, unit, aim, measured, met }) => [
      aimName,
      `${aim} ${unit}`,
      `${measured.toFixed(2)} ${unit}`,
      met ? 'met' : 'MISSED',
    ]),
  );
};

export const toLoadTable = (rows: readonly ComparedRow[]): Table => {
  const ratioNames = [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))];
  return {
    title: 'medians; times in ms, CPU in seconds per 1,000 calls',
    headings: [
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
    rows: rows.map((row) => [
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
      listParts(row.cpuPer1000By),
    ]),
  };
};

export const listParts = (parts: Readonly<Record<string, number>>): string =>
  Object.entries(parts)
    .map(([name, seconds]) => `${name} ${seconds.toFixed(3)}`)
    .join(', ');

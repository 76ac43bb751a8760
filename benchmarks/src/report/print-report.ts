import type { Aim } from './aim.ts';
import { PARTS_COLUMN, printTable, ratioColumns, toTable } from './print-table.ts';
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

export const toLoadTable = (rows: readonly ComparedRow[]): Table =>
  toTable('medians; times in ms, CPU in seconds per 1,000 calls', rows, [
    ['load', ({ load }) => load],
    ['at once', ({ inFlight }) => String(inFlight)],
    ['system', ({ system }) => system],
    ['calls/s', ({ perSecond }) => perSecond.toFixed(0)],
    ['p50', ({ p50 }) => p50.toFixed(2)],
    ['p99', ({ p99 }) => p99.toFixed(2)],
    ['first byte', ({ firstByteP50 }) => firstByteP50?.toFixed(2)],
    ['p99', ({ firstByteP99 }) => firstByteP99?.toFixed(2)],
    ['CPU', ({ cpuPer1000 }) => cpuPer1000.toFixed(3)],
    ...ratioColumns(rows),
    PARTS_COLUMN,
  ]);

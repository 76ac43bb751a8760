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
    ['PostgreSQL', ({ cpuPer1000By }) => cpuPer1000By['postgres']?.toFixed(3)],
    ...ratioColumns(rows),
    PARTS_COLUMN,
  ]);

export type Table = {
  title: string;
  headings: readonly string[];
  rows: readonly (readonly string[])[];
};

/** A heading, and the text of a row below it. */
export type Column<Row> = readonly [heading: string, cell: (row: Row) => string | undefined];

export const toTable = <Row>(
  title: string,
  rows: readonly Row[],
  columns: readonly Column<Row>[],
): Table => ({
  title,
  headings: columns.map(([heading]) => heading),
  rows: rows.map((row) => columns.map(([, cell]) => cell(row) ?? '')),
});

type Ratios = { ratios: Readonly<Record<string, number>> };

/** Returns one column for each ratio that any row has. */
export const ratioColumns = <Row extends Ratios>(rows: readonly Row[]): Column<Row>[] =>
  [...new Set(rows.flatMap(({ ratios }) => Object.keys(ratios)))].map((name) => [
    name,
    ({ ratios }) => ratios[name]?.toFixed(2),
  ]);

type CpuParts = { cpuPer1000By: Readonly<Record<string, number>> };

/** Lists the CPU seconds of each process. */
export const PARTS_COLUMN: Column<CpuParts> = [
  'of',
  ({ cpuPer1000By }) =>
    Object.entries(cpuPer1000By)
      .map(([name, seconds]) => `${name} ${seconds.toFixed(3)}`)
      .join(', '),
];

/** Prints a table; all columns but the first are right-aligned. */
export const printTable = (
  title: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): void => {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
      )
      .join('  ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('  ');
  const text = [title, '', line(headings), rule, ...rows.map(line), ''].join('\n');
  process.stdout.write(`\n${text}\n`);
};

/** A measured figure, its aim, and whether the aim is met. */
export type Aim = { name: string; unit: string; aim: string; measured: number; met: boolean };

export const atLeast = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `>= ${limit}`,
  measured,
  met: measured >= limit,
});

export const atMost = (name: string, unit: string, limit: number, measured: number): Aim => ({
  name,
  unit,
  aim: `<= ${limit}`,
  measured,
  met: measured <= limit,
});

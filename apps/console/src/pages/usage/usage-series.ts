import type { DayRange } from '../../ui/day.ts';
import type { UsageRow } from './usage-query.ts';
import { toDayNumber } from './usage-search.ts';
import type { Grouping, Measure } from './usage-search.ts';

/** Groups with a line of their own; the rest share one. */
export const LINES_MAX = 5;

/** Longest range that is drawn, in days: on its axis, days have no year. */
export const DAYS_MAX = 366;

const MICROS = 1_000_000;

export type UsageLine = { label: string; values: (number | null)[] };

/** `x` has the days as numbers of days since 1970. */
export type UsageSeries = { x: number[]; lines: UsageLine[] };

type SeriesOptions = {
  range: DayRange;
  by: Grouping;
  measure: Measure;
  nameOf: (row: UsageRow) => string;
};

/**
 * Returns the measure of each day: a line for each of the five largest groups, and one for the
 * rest. A day without calls is 0. A day whose calls all have no price has no cost, which is not 0.
 */
export const toSeries = (rows: readonly UsageRow[], options: SeriesOptions): UsageSeries => {
  const { range, by, measure, nameOf } = options;
  const first = toDayNumber(range.from);
  const x = Array.from({ length: toDayNumber(range.to) - first + 1 }, (_, index) => first + index);
  const groups = new Map<string, UsageRow[]>();
  for (const row of rows) {
    const name = by === 'day' ? 'All calls' : nameOf(row);
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  const largest = [...groups].toSorted(
    ([, a], [, b]) => (sumOf(b, measure) ?? 0) - (sumOf(a, measure) ?? 0),
  );
  const rest = largest.slice(LINES_MAX).flatMap(([, found]) => found);
  const shown = [
    ...largest.slice(0, LINES_MAX),
    ...(rest.length > 0 ? [['Others', rest] as const] : []),
  ];
  const lines = shown.map(([label, found]) => ({
    label,
    values: valuesOf(found, { x, measure }),
  }));
  return { x, lines };
};

const valuesOf = (
  rows: readonly UsageRow[],
  { x, measure }: { x: readonly number[]; measure: Measure },
): (number | null)[] => {
  const byDay = Map.groupBy(rows, ({ day }) => toDayNumber(day!));
  return x.map((day) => {
    const found = byDay.get(day);
    return found === undefined ? 0 : sumOf(found, measure);
  });
};

/** Null: calls without any price. */
const sumOf = (rows: readonly UsageRow[], measure: Measure): number | null => {
  if (measure === 'tokens') return rows.reduce((sum, { totalTokens }) => sum + totalTokens, 0);
  const priced = rows.filter(({ cost }) => cost !== null);
  if (priced.length === 0) return null;
  return priced.reduce((sum, { cost }) => sum + cost!.micros, 0) / MICROS;
};

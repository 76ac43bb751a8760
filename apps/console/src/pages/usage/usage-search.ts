import { readDayRange } from '../../ui/day.ts';
import type { DayRange } from '../../ui/day.ts';

/** What usage can be grouped by, as the API names it. */
export const GROUPINGS = [
  { value: 'model', label: 'Model' },
  { value: 'provider', label: 'Provider' },
  { value: 'agent', label: 'Agent' },
  { value: 'key', label: 'API key' },
  { value: 'day', label: 'Day' },
] as const;

export type Grouping = (typeof GROUPINGS)[number]['value'];

export const MEASURES = [
  { value: 'tokens', label: 'Tokens' },
  { value: 'cost', label: 'Cost' },
] as const;

export type Measure = (typeof MEASURES)[number]['value'];

/** The periods that end today, with their lengths in days. */
const LENGTHS_DAYS = { '7d': 7, '30d': 30, '90d': 90, '365d': 365 } as const;

export type Period = keyof typeof LENGTHS_DAYS;

export const PERIODS: readonly { value: Period; label: string }[] = [
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: '90d', label: 'Last 90 days' },
  { value: '365d', label: 'Last 365 days' },
];

/** The choices of the page as in its address. Without any: the last 30 days by model, in tokens. */
export type UsageSearch = {
  by?: Grouping;
  measure?: Measure;
  period?: Period;
  from?: string;
  to?: string;
};

const oneOf = <Value extends string>(
  options: readonly { value: Value }[],
  value: unknown,
): Value | undefined => options.find((option) => option.value === value)?.value;

/** Reads the choices from an address; ignores invalid values. A range of days has precedence. */
export const readUsageSearch = (search: Record<string, unknown>): UsageSearch => {
  const by = oneOf(GROUPINGS, search.by);
  const measure = oneOf(MEASURES, search.measure);
  const period = oneOf(PERIODS, search.period);
  return {
    ...(by ? { by } : {}),
    ...(measure ? { measure } : {}),
    ...(readDayRange(search) ?? (period ? { period } : {})),
  };
};

const DAY_MS = 86_400_000;

/** Returns a day as a number of days since 1970, in UTC. */
export const toDayNumber = (day: string): number => Date.parse(day) / DAY_MS;

export const fromDayNumber = (number: number): string =>
  new Date(number * DAY_MS).toISOString().slice(0, 10);

/** Returns the first and the last day of the choice, both in UTC. */
export const rangeOf = ({ period = '30d', from, to }: UsageSearch, now: Date): DayRange => {
  if (from !== undefined && to !== undefined) return { from, to };
  const today = now.toISOString().slice(0, 10);
  return { from: fromDayNumber(toDayNumber(today) - LENGTHS_DAYS[period] + 1), to: today };
};

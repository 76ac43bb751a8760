/** Two days as `2026-11-28`, both inclusive. */
export type DayRange = { from: string; to: string };

const DAY = /^[2-9]\d{3}-\d\d-\d\d$/;

/** Returns whether the value is a day of the calendar, from the year 2000 on. */
export const isDay = (value: unknown): value is string => {
  if (typeof value !== 'string' || !DAY.test(value)) return false;
  const date = new Date(value);
  // Browsers read the 31st of February as a day of March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value);
};

const DAY_MS = 86_400_000;

/** Returns the first and the last instant of the days in the reader's zone, for the API. */
export const toInstants = ({ from, to }: DayRange): { from: string; to: string } => ({
  from: new Date(`${from}T00:00`).toISOString(),
  to: new Date(endOf(to)).toISOString(),
});

/** Days on which the clock changes have 23 or 25 hours, so the end is that of the next midnight. */
const endOf = (day: string): number => {
  const next = new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
  return Date.parse(`${next}T00:00`) - 1;
};

/** Reads a range of days from an address: both days, the first not after the last. */
export const readDayRange = ({ from, to }: Record<string, unknown>): DayRange | undefined =>
  isDay(from) && isDay(to) && from <= to ? { from, to } : undefined;

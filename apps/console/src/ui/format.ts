/** Formats in the reader's language and time zone. */
const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const monthDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });
const timeOfDay = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const integer = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 0 });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export const formatDay = (instant: string): string => day.format(new Date(instant));

const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** Formats a day as `2026-11-28` that is not in the reader's zone. */
export const formatUtcDay = (utc: string): string => utcDay.format(new Date(utc));

export const formatDateTime = (instant: string): string => dateTime.format(new Date(instant));

/** Returns the day without its year, and the time of the day without its zone. */
export const formatRowTime = (instant: string): { day: string; time: string } => ({
  day: monthDay.format(new Date(instant)),
  time: timeOfDay.format(new Date(instant)),
});

export const formatCount = (count: number): string => integer.format(count);

/** Returns a share of agreement, confidence or chance in whole percent. */
export const formatPercent = (share: number): string => percent.format(share);

/** Returns a count with its noun, such as "1 page" or "12 pages". */
export const formatCountOf = (count: number, noun: string): string =>
  `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** Returns how long ago `instant` was, such as "3 hours ago"; "now" within a minute. */
export const formatAge = (instant: string, now: Date): string => {
  const elapsedMs = new Date(instant).getTime() - now.getTime();
  const [unit, unitMs] = UNITS.find(([, ms]) => Math.abs(elapsedMs) >= ms) ?? ['second', Infinity];
  return relative.format(Math.trunc(elapsedMs / unitMs), unit);
};

/** Returns milliseconds as "840 ms", "12.4 s" or "3 min 05 s". */
export const formatDuration = (durationMs: number): string => {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${(durationMs / 1_000).toFixed(1)} s`;
  const seconds = Math.round(durationMs / 1_000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
};

const MICROS = 1_000_000;

/** Digits after the point: six for less than a cent, two from a hundred dollars on, else four. */
const digitsOf = (dollars: number): number => {
  if (dollars !== 0 && dollars < 0.01) return 6;
  return dollars < 100 ? 4 : 2;
};

/** Returns a cost in US dollars; null, for a model without a price, is not 0. */
export const formatCost = (cost: { micros: number } | null): string => {
  if (cost === null) return 'no price';
  const dollars = cost.micros / MICROS;
  const digits = digitsOf(dollars);
  return new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(dollars);
};

/** Returns a size as "812 bytes", "14 KiB" or "2.3 MiB". */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1_024) return `${integer.format(bytes)} bytes`;
  const kibibytes = bytes / 1_024;
  if (kibibytes < 1_024) return `${integer.format(kibibytes)} KiB`;
  return `${(kibibytes / 1_024).toFixed(1)} MiB`;
};

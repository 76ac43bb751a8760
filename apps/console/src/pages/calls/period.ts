/** The periods that the list of calls offers, with their lengths in milliseconds. */
const LENGTHS_MS = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 };

export type Period = keyof typeof LENGTHS_MS;

export const PERIODS: readonly { value: Period; label: string }[] = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
];

export const isPeriod = (value: unknown): value is Period =>
  typeof value === 'string' && Object.hasOwn(LENGTHS_MS, value);

/** Returns the first instant of a period that ends now, to the minute. */
export const fromOfPeriod = (period: Period, now: Date): string => {
  const minuteMs = 60_000;
  const firstMs = now.getTime() - LENGTHS_MS[period];
  return new Date(Math.floor(firstMs / minuteMs) * minuteMs).toISOString();
};

/**
 * Returns the delay in milliseconds that a `Retry-After` header requests, as seconds or as a date
 * (RFC 9110, 10.2.3), or undefined if it is invalid. A date in the past is a delay of 0.
 */
export const parseRetryAfter = (text: string, now: Date): number | undefined => {
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const date = HTTP_DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(date - now.getTime(), 0);
};

const SECONDS = /^\d{1,9}$/;
/** The preferred form of a date; recipients of the obsolete forms ignore them. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

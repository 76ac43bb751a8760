import { detectLinksAndDates } from '../detect-links-and-dates.ts';
import type { LinkSpan } from '../detect-links-and-dates.ts';
import type { Category, Span } from '../span.ts';

export type ReportedSpan = { start: number; end: number; type: Category | LinkSpan['kind'] };

/**
 * Converts spans to the types of the evaluation data, which calls a URL with credentials a URL.
 * Adds links, full dates and bank identifier codes, which the detector does not report.
 */
export function reportSpans(text: string, spans: readonly Span[]): ReportedSpan[] {
  const found = spans.map(({ start, end, category }) => ({
    start,
    end,
    type: category === 'URL_CREDENTIALS' ? ('URL' as const) : category,
  }));
  let next = 0;
  const links = detectLinksAndDates(text).filter(({ start, end }) => {
    while ((spans[next]?.end ?? Infinity) <= start) next += 1;
    return end <= (spans[next]?.start ?? Infinity);
  });
  return [...found, ...links.map(({ start, end, kind }) => ({ start, end, type: kind }))].toSorted(
    (a, b) => a.start - b.start,
  );
}

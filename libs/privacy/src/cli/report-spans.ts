import type { Category, Span } from '../span.ts';
import { CLASS, DIGIT, isAlnum, matchEnd, WORD } from '../structured/char-class.ts';
import {
  createDigitGroups,
  groupEnd,
  groupLength,
  readDigitGroups,
} from '../structured/digit-groups.ts';
import { findCue } from '../structured/find-cue.ts';
import {
  type DateRange,
  findEastAsianDate,
  findNumericDate,
  findWrittenDate,
} from '../structured/find-date.ts';
import { findUrl, urlEnd } from '../structured/find-url.ts';

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

const WORDS = /\w+/y;
const LIST_GROUPS = 12;

/** Links, full dates and bank identifier codes, which are not in `CATEGORIES`. */
type LinkSpan = { start: number; end: number; kind: 'URL' | 'DATE' | 'SWIFT' };

/**
 * Finds links, full dates and bank identifier codes in linear time. Returns ascending spans without
 * overlaps.
 */
export function detectLinksAndDates(text: string): LinkSpan[] {
  const groups = createDigitGroups();
  const spans: LinkSpan[] = [];
  let i = 0;
  while (i < text.length) {
    const c = text.charCodeAt(i);
    const kind = c < 128 ? (CLASS[c] ?? 0) : 0;
    let hit: LinkSpan | undefined;
    if (c === 0x3a && text.startsWith('//', i + 1)) hit = urlAt(text, i);
    else if ((kind & DIGIT) !== 0) {
      readDigitGroups(text, i, groups);
      const start = i;
      const end = groupEnd(groups, 0);
      const date: DateRange | undefined =
        groupLength(groups, 0) > 4 || isPartOfLongerToken(text, start)
          ? undefined
          : (findNumericDate(text, groups) ??
            findWrittenDate(text, start, end) ??
            findEastAsianDate(text, start, end));
      if (date !== undefined) hit = { ...date, kind: 'DATE' };
      // Skips only half of a long list of numbers, because a number in the second half may start a
      // date.
      i = (groups.count < LIST_GROUPS ? end : groupEnd(groups, LIST_GROUPS / 2)) - 1;
    } else if ((kind & WORD) !== 0) {
      const end = matchEnd(text, i, WORDS);
      hit = hostAt(text, i, end) ?? swiftAt(text, i, end);
      i = end - 1;
    }
    if (hit !== undefined) addSpan(spans, hit);
    i = Math.max(i + 1, hit?.end ?? 0);
  }
  return spans;
}

function addSpan(spans: LinkSpan[], hit: LinkSpan): void {
  while ((spans.at(-1)?.end ?? 0) > hit.start) spans.pop();
  spans.push(hit);
}

function urlAt(text: string, colon: number): LinkSpan | undefined {
  const url = findUrl(text, colon);
  return url && { start: url.start, end: url.end, kind: 'URL' };
}

function hostAt(text: string, start: number, end: number): LinkSpan | undefined {
  if (end - start !== 3 || text.slice(start, end).toLowerCase() !== 'www') return undefined;
  if (text.charCodeAt(end) !== 0x2e || !isAlnum(text.charCodeAt(end + 1))) return undefined;
  return { start, end: urlEnd(text, end + 1), kind: 'URL' };
}

function swiftAt(text: string, start: number, end: number): LinkSpan | undefined {
  if (end - start !== 8 && end - start !== 11) return undefined;
  if (!/^[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?$/.test(text.slice(start, end))) return undefined;
  return findCue(text, start) === 'swift' ? { start, end, kind: 'SWIFT' } : undefined;
}

function isPartOfLongerToken(text: string, start: number): boolean {
  const charBefore = text.charCodeAt(start - 1);
  if (isAlnum(charBefore) || charBefore === 0x2f || charBefore === 0x5f) return true;
  return (charBefore === 0x2d || charBefore === 0x2e) && isAlnum(text.charCodeAt(start - 2));
}

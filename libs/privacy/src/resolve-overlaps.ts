import type { Category, Span } from './span.ts';

/** If two spans overlap, the one whose category has the lower rank remains whole. */
const RANK: Readonly<Record<Category, number>> = {
  EMAIL: 0,
  PHONE: 0,
  CREDIT_CARD: 0,
  IBAN: 0,
  IP: 0,
  MAC: 0,
  URL_CREDENTIALS: 0,
  CRYPTO: 0,
  SECRET: 0,
  DATE_OF_BIRTH: 1,
  NATIONAL_ID: 1,
  TAX_ID: 1,
  PASSPORT: 1,
  DRIVER_LICENSE: 1,
  BANK_ACCOUNT: 1,
  ADDRESS: 2,
  PERSON: 3,
  ORG: 4,
  LOCATION: 4,
};

const RANKS = [0, 1, 2, 3, 4];

/**
 * Returns ascending spans without overlaps that cover every letter and digit of the input spans.
 * `first` takes precedence over `rest`, whose spans take precedence by `RANK`. A span with lower
 * precedence is reduced to its parts outside of the other spans.
 */
export function resolveOverlaps(
  text: string,
  { first, rest }: { first: readonly Span[]; rest: readonly Span[] },
): Span[] {
  if (first.length === 0 && areDisjoint(rest)) return rest.map((span) => ({ ...span }));
  const groups = [
    first,
    ...RANKS.map((rank) => rest.filter((span) => RANK[span.category] === rank)),
  ];
  let resolved: Span[] = [];
  for (const group of groups) {
    if (group.length > 0) resolved = mergeSpans(resolved, subtractTaken(text, group, resolved));
  }
  return resolved;
}

function areDisjoint(spans: readonly Span[]): boolean {
  let lastEnd = 0;
  for (const { start, end } of spans) {
    if (start < lastEnd || end <= start) return false;
    lastEnd = end;
  }
  return true;
}

/**
 * Returns the parts of `spans` outside of `takenSpans`. If two of `spans` overlap, the one that
 * starts earlier remains whole, or the longer one if they start together.
 */
function subtractTaken(text: string, spans: readonly Span[], takenSpans: readonly Span[]): Span[] {
  const sorted = spans
    .filter(({ start, end }) => start < end)
    .toSorted((a, b) => a.start - b.start || b.end - a.end);
  const parts: Span[] = [];
  let lastEnd = 0;
  let next = 0;
  for (const { start, end, category } of sorted) {
    let position = Math.max(start, lastEnd);
    while (next < takenSpans.length && (takenSpans[next] as Span).end <= position) next += 1;
    for (let index = next; position < end; index += 1) {
      const obstacle = takenSpans[index];
      const stop = obstacle === undefined ? end : Math.min(end, obstacle.start);
      const isWhole = position === start && stop === end;
      const part = isWhole ? { start, end, category } : trimPart(text, position, stop, category);
      if (part !== undefined) parts.push(part);
      if (obstacle === undefined || obstacle.start >= end) break;
      position = Math.max(position, obstacle.end);
    }
    lastEnd = Math.max(lastEnd, end);
  }
  return parts;
}

const WORD = /[\p{L}\p{N}]/u;

function trimPart(text: string, start: number, end: number, category: Category): Span | undefined {
  let from = start;
  let to = end;
  while (from < to && !isWordUnit(text, from)) from += 1;
  while (to > from && !isWordUnit(text, to - 1)) to -= 1;
  return from < to ? { start: from, end: to, category } : undefined;
}

/**
 * Returns true for a word character, and for half of a surrogate pair, because a pair must not be
 * split.
 */
function isWordUnit(text: string, offset: number): boolean {
  const unit = text.charCodeAt(offset);
  return (unit >= 0xd800 && unit <= 0xdfff) || WORD.test(text.charAt(offset));
}

/**
 * Merges two ascending lists of spans. Of two spans with the same start, that of `a` comes first.
 */
export function mergeSpans(a: readonly Span[], b: readonly Span[]): Span[] {
  if (a.length === 0) return [...b];
  if (b.length === 0) return [...a];
  return [...a, ...b].toSorted((left, right) => left.start - right.start);
}

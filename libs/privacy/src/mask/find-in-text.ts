import type { Detect } from '../detect.ts';
import type { Span } from '../span.ts';
import { callInSteps } from '../steps.ts';
import type { Steps } from '../steps.ts';
import { findLookalikes } from './placeholders.ts';
import type { NameKind } from './placeholders.ts';

export type ValueRange = {
  start: number;
  end: number;
  value: string;
  json?: string | undefined;
};

export type Replacement = ValueRange & {
  kind: NameKind;
  quote?: string | undefined;
};

/**
 * Text that looks like a placeholder. It is escaped if `alwaysEscaped` is true or if its name is in
 * the table.
 */
export type Lookalike = ValueRange & {
  name: string;
  alwaysEscaped: boolean;
};

/** What is found in a text, in ascending order. */
export type Findings = {
  replacements: Replacement[];
  lookalikes: Lookalike[];
  names: ValueRange[];
  unmasked: number;
};

/** Finds what to replace in a text that is not JSON. */
export function findInText(text: string, detect: Detect): Findings {
  return toFindings(text, findSpans(text, detect));
}

/** Does the same in steps. */
export function* findInTextInSteps(text: string, detect: Detect): Steps<Findings> {
  return toFindings(text, yield* findSpansInSteps(text, detect));
}

function toFindings(text: string, spans: readonly Span[]): Findings {
  const replacements = toReplacements(text, spans);
  const lookalikes = findUnmaskedLookalikes(text, replacements);
  return { replacements, lookalikes, names: [], unmasked: 0 };
}

/** Maximum length of a text that is detected together with its cue. */
const CUED_LENGTH_MAX = 200;

/**
 * Detects spans in a text with `prefix` in front as a cue, as in `phone: 555 0100`. Offsets are
 * those of the text without the prefix.
 */
export function findSpans(text: string, detect: Detect, prefix = ''): readonly Span[] {
  if (text.length === 0) return [];
  if (prefix === '' || text.length > CUED_LENGTH_MAX) return checkSpans(text.length, detect(text));
  const spans = checkSpans(prefix.length + text.length, detect(prefix + text));
  return spans
    .filter(({ end }) => end > prefix.length)
    .map(({ start, end, category }) => ({
      start: Math.max(0, start - prefix.length),
      end: end - prefix.length,
      category,
    }));
}

/** Detects spans of a long text, which has no cue, in steps. */
export function* findSpansInSteps(text: string, detect: Detect): Steps<readonly Span[]> {
  return checkSpans(text.length, yield* callInSteps(detect, text));
}

/**
 * Converts spans to replacements. Brackets around a span become part of its value: in
 * `[[[EMAIL_K7Q2MX]]]`, if a model drops one pair, it would be unclear which pairs belong to the
 * placeholder.
 */
export function toReplacements(text: string, spans: readonly Span[]): Replacement[] {
  return spans.map(({ start, end, category }) => {
    let margin = 0;
    while (text.charAt(start - margin - 1) === '[' && text.charAt(end + margin) === ']')
      margin += 1;
    const range = { start: start - margin, end: end + margin };
    return { ...range, kind: category, value: text.slice(range.start, range.end) };
  });
}

/**
 * Throws if spans overlap or are outside of the text: invalid spans could let personal data be
 * sent.
 */
function checkSpans(length: number, spans: readonly Span[]): readonly Span[] {
  let previousEnd = 0;
  for (const { start, end } of spans) {
    if (!(start >= previousEnd && end > start && end <= length))
      throw new Error('the detector returned spans that overlap or lie outside the text');
    previousEnd = end;
  }
  return spans;
}

export function findUnmaskedLookalikes(
  text: string,
  replacements: readonly { start: number; end: number }[],
): Lookalike[] {
  const found = findLookalikes(text);
  if (found.length === 0) return [];
  const lookalikes: Lookalike[] = [];
  let next = 0;
  for (const { start, end, name, inBrackets } of found) {
    while (next < replacements.length && (replacements[next]?.end ?? 0) <= start) next += 1;
    const nextStart = replacements[next]?.start ?? Infinity;
    const previousEnd = Math.max(replacements[next - 1]?.end ?? 0, lookalikes.at(-1)?.end ?? 0);
    if (end > nextStart) continue;
    const hasRoom = inBrackets && start - 2 >= previousEnd && end + 2 <= nextStart;
    const margin = hasRoom ? 2 : 0;
    const range = { start: start - margin, end: end + margin };
    const value = text.slice(range.start, range.end);
    lookalikes.push({ ...range, value, name, alwaysEscaped: inBrackets });
  }
  return lookalikes;
}

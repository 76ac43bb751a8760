import type { ReadOptions, Span } from '../span.ts';
import { findLookalikes } from './find-lookalikes.ts';
import type { NameKind } from './placeholder-name.ts';

/** Finds personal data: ascending spans that do not overlap. What it throws refuses the call. */
export type Detect = (text: string, options?: ReadOptions) => readonly Span[];

/** A stretch of a text and what it means. */
export type Stretch = {
  start: number;
  end: number;
  value: string;
  /** How JSON text spells it, where that is not how `JSON.stringify` would. */
  json?: string | undefined;
};

/** A stretch that a placeholder will replace. */
export type Piece = Stretch & {
  kind: NameKind;
  /** The quotes around the placeholder of a number, which had none. */
  quote?: string | undefined;
};

/** A stretch that is written as it is unless its name is in the table in the end. */
export type Suspect = Stretch & {
  name: string;
  /** Escaped whatever the table holds. */
  always: boolean;
};

/** Keys that say nothing of what is in them; before a name they would hide where it begins. */
const NO_CUES = new Set([
  ...['', 'content', 'text', 'message', 'input', 'output', 'value', 'data', 'body', 'query'],
  ...['prompt', 'description', 'result', 'results', 'response', 'answer', 'question', 'arguments'],
]);

/** Whether a key says nothing of its value. */
export const saysNothing = (key: string): boolean => NO_CUES.has(key.toLowerCase());

/** Longer texts speak for themselves. */
const CUED_LENGTH_MAX = 200;

/** The words of a key before its value: `home phone: `; empty for a key that says nothing. */
export const prefixOf = (key: string): string => (saysNothing(key) ? '' : `${wordsOf(key)}: `);

/** Spans of a text, found with the words of its key before it: `phone: 555 0100`. */
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

/**
 * What to replace for spans. Brackets directly around a span belong to its value: else a model that
 * drops a pair from `[[[EMAIL_K7Q2MX]]]` would leave us to guess whose they were.
 */
export function toPieces(text: string, spans: readonly Span[]): Piece[] {
  return spans.map(({ start, end, category }) => {
    let margin = 0;
    while (text.charAt(start - margin - 1) === '[' && text.charAt(end + margin) === ']')
      margin += 1;
    const stretch = { start: start - margin, end: end + margin };
    return { ...stretch, kind: category, value: text.slice(stretch.start, stretch.end) };
  });
}

/** `homePhone_number` is three words. */
export function wordsOf(key: string): string {
  return key
    .slice(0, CUED_LENGTH_MAX)
    .replaceAll(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/**
 * A detector that breaks its word must not decide what leaves: it is refused like one that
 * throws.
 */
function checkSpans(length: number, spans: readonly Span[]): readonly Span[] {
  let free = 0;
  for (const { start, end } of spans) {
    if (!(start >= free && end > start && end <= length))
      throw new Error('the detector returned spans that overlap or lie outside the text');
    free = end;
  }
  return spans;
}

/** Lookalikes of a text outside `pieces`; double brackets belong to them. */
export function findSuspects(
  text: string,
  pieces: readonly { start: number; end: number }[],
): Suspect[] {
  const suspects: Suspect[] = [];
  let next = 0;
  for (const { start, end, name, inBrackets } of findLookalikes(text)) {
    while (next < pieces.length && (pieces[next]?.end ?? 0) <= start) next += 1;
    const obstacle = pieces[next]?.start ?? Infinity;
    const before = Math.max(pieces[next - 1]?.end ?? 0, suspects.at(-1)?.end ?? 0);
    if (end > obstacle) continue;
    const hasRoom = inBrackets && start - 2 >= before && end + 2 <= obstacle;
    const margin = hasRoom ? 2 : 0;
    const stretch = { start: start - margin, end: end + margin };
    const value = text.slice(stretch.start, stretch.end);
    suspects.push({ ...stretch, value, name, always: inBrackets });
  }
  return suspects;
}

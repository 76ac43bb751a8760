import type { Span } from '../span.ts';
import type { Clues } from './features.ts';
import { LISTED } from './gazetteer.ts';
import { EDGES, FORM, type Tokens } from './tokenize.ts';

const SHORTEST = 3;

/**
 * Whoever is named in full once is often named by one word later: such words, when they are not
 * common ones, are persons wherever the text has them alone.
 */
export const addRepeats = (spans: Span[], tokens: Tokens, { listed }: Clues): Span[] => {
  const { start, end, word, form, count } = tokens;
  const names = new Set<number>();
  const inSpan = new Uint8Array(count);
  let next = 0;
  for (let at = EDGES; at < count && next < spans.length; at++) {
    while (next < spans.length && spans[next]!.end <= start[at]!) next++;
    const span = spans[next];
    if (span === undefined || start[at]! < span.start) continue;
    inSpan[at] = 1;
    const isFull = start[at]! > span.start || end[at]! < span.end;
    if (span.category === 'PERSON' && isFull && isWord(tokens, at, listed[at]!))
      names.add(word[at]!);
  }
  if (names.size === 0) return spans;
  const repeats: Span[] = [];
  for (let at = EDGES; at < count; at++)
    if (
      inSpan[at] === 0 &&
      names.has(word[at]!) &&
      isWord(tokens, at, listed[at]!) &&
      form[at] !== FORM.lower
    )
      repeats.push({ start: start[at]!, end: end[at]!, category: 'PERSON' });
  return repeats.length === 0
    ? spans
    : [...spans, ...repeats].toSorted((one, other) => one.start - other.start);
};

const isWord = ({ start, end, form }: Tokens, at: number, listed: number): boolean =>
  form[at]! < FORM.digits && end[at]! - start[at]! >= SHORTEST && (listed & LISTED.common) === 0;

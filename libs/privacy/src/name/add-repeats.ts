import type { NamedSpan } from './span-context.ts';
import type { Clues } from './features.ts';
import { LISTED } from './gazetteer.ts';
import { EDGE_TOKENS, FORM, type Tokens } from './tokenize.ts';

const MIN_LENGTH = 3;

/**
 * Adds PERSON spans where one word of a person's full name occurs alone elsewhere in the text,
 * unless it is a common or lower-case word.
 */
export const addRepeats = (spans: NamedSpan[], tokens: Tokens, { listed }: Clues): NamedSpan[] => {
  const names = fullNameWords(spans, tokens, listed);
  if (names.size === 0) return spans;
  const { start, end, word, form, count } = tokens;
  const repeats: NamedSpan[] = [];
  let next = 0;
  for (let at = EDGE_TOKENS; at < count; at++) {
    while (next < spans.length && spans[next]!.end <= start[at]!) next++;
    const isInSpan = next < spans.length && start[at]! >= spans[next]!.start;
    if (
      !isInSpan &&
      form[at] !== FORM.lower &&
      names.has(word[at]!) &&
      isWord(tokens, at, listed[at]!)
    )
      repeats.push({
        start: start[at]!,
        end: end[at]!,
        category: 'PERSON',
        first: at,
        last: at + 1,
      });
  }
  return repeats.length === 0
    ? spans
    : [...spans, ...repeats].toSorted((one, other) => one.start - other.start);
};

const NO_WORDS: ReadonlySet<number> = new Set();

const fullNameWords = (
  spans: readonly NamedSpan[],
  tokens: Tokens,
  listed: Uint8Array,
): ReadonlySet<number> => {
  if (!spans.some(({ category }) => category === 'PERSON')) return NO_WORDS;
  const { start, end, word, count } = tokens;
  const names = new Set<number>();
  let next = 0;
  for (let at = EDGE_TOKENS; at < count && next < spans.length; at++) {
    while (next < spans.length && spans[next]!.end <= start[at]!) next++;
    const span = spans[next];
    if (span === undefined || start[at]! < span.start || span.category !== 'PERSON') continue;
    const isFull = start[at]! > span.start || end[at]! < span.end;
    if (isFull && isWord(tokens, at, listed[at]!)) names.add(word[at]!);
  }
  return names;
};

const isWord = ({ start, end, form }: Tokens, at: number, listed: number): boolean =>
  form[at]! < FORM.digits && end[at]! - start[at]! >= MIN_LENGTH && (listed & LISTED.common) === 0;

import type { NamedSpan } from './span-context.ts';
import type { Clues } from './features.ts';
import { LISTED } from './gazetteer.ts';
import { EDGE_TOKENS, FORM, type Tokens } from './tokenize.ts';

const MIN_LENGTH = 3;

/**
 * Adds PERSON spans where one word of a person's full name occurs elsewhere in the text, unless it
 * is a short, common or lower-case word.
 */
export const addRepeats = (spans: NamedSpan[], tokens: Tokens, { listed }: Clues): NamedSpan[] => {
  const names = fullNameWords(spans, tokens, listed);
  if (names.size === 0) return spans;
  const { start, end, word, form, count } = tokens;
  const repeats: NamedSpan[] = [];
  let next = 0;
  for (let index = EDGE_TOKENS; index < count; index++) {
    while (next < spans.length && spans[next]!.end <= start[index]!) next++;
    const isInSpan = next < spans.length && start[index]! >= spans[next]!.start;
    if (
      !isInSpan &&
      form[index] !== FORM.lower &&
      names.has(word[index]!) &&
      isWord(tokens, index, listed[index]!)
    )
      repeats.push({
        start: start[index]!,
        end: end[index]!,
        category: 'PERSON',
        first: index,
        last: index + 1,
      });
  }
  return repeats.length === 0
    ? spans
    : [...spans, ...repeats].toSorted((a, b) => a.start - b.start);
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
  for (let index = EDGE_TOKENS; index < count && next < spans.length; index++) {
    while (next < spans.length && spans[next]!.end <= start[index]!) next++;
    const span = spans[next];
    if (span === undefined || start[index]! < span.start || span.category !== 'PERSON') continue;
    const isPartOfLongerName = start[index]! > span.start || end[index]! < span.end;
    if (isPartOfLongerName && isWord(tokens, index, listed[index]!)) names.add(word[index]!);
  }
  return names;
};

const isWord = ({ start, end, form }: Tokens, index: number, listed: number): boolean =>
  form[index]! < FORM.digits &&
  end[index]! - start[index]! >= MIN_LENGTH &&
  (listed & LISTED.common) === 0;

import type { Lines } from '../block/find-lines.ts';
import type { Span } from '../span.ts';
import type { Clues } from './features.ts';
import { LISTED } from './gazetteer.ts';
import type { NameCategory } from './find-path.ts';
import { FORM, GAP, type Tokens } from './tokenize.ts';

/**
 * A span found by the name model. `first` is the index of its first token, `last` that of the token
 * after it.
 */
export type NamedSpan = Span & { category: NameCategory; first: number; last: number };

export type Surroundings = { text: string; tokens: Tokens; clues: Clues; lines: Lines };

export const LISTS_OF = {
  PERSON: LISTED.given | LISTED.surname | LISTED.popular,
  LOCATION: LISTED.place,
  ORG: LISTED.org | LISTED.orgCue,
  ADDRESS: LISTED.street | LISTED.place,
} as const;

/**
 * The lists of street names and of organisation cues have no words in common, so training marks a
 * product by both flags.
 */
const PRODUCT = LISTED.street | LISTED.orgCue;

/** Minimum number of lower-case words around a span for it to count as part of a sentence. */
const SENTENCE_LOWER_WORDS_MIN = 4;
const TOKENS_MAX = 40;

const isWordForm = (form: number): boolean => form < FORM.punctuation && form !== FORM.digits;

export const wordsIn = (
  { first, last }: NamedSpan,
  { form }: Tokens,
): { total: number; lower: number } => {
  let total = 0;
  let lower = 0;
  for (let index = first; index < last; index++) {
    if (isWordForm(form[index]!)) total++;
    if (form[index] === FORM.lower) lower++;
  }
  return { total, lower };
};

/**
 * Returns true if a word of the span has one of the list flags in `bits`, or is in a script without
 * upper and lower case.
 */
export const isListed = (
  { first, last }: NamedSpan,
  { tokens, clues }: Surroundings,
  bits: number,
) => {
  for (let index = first; index < last; index++)
    if ((clues.listed[index]! & bits) !== 0 || tokens.form[index] === FORM.uncased) return true;
  return false;
};

/**
 * Returns true for the flags of a common word. In a PERSON span, a frequent given name does not
 * count as common.
 */
const isCommon = (bits: number, category: NameCategory): boolean =>
  (bits & LISTED.common) !== 0 && !(category === 'PERSON' && (bits & LISTED.popular) !== 0);

/** Returns true if no word of the same value or sentence part is directly before the span. */
export const startsPart = ({ first }: NamedSpan, { tokens: { form } }: Surroundings): boolean =>
  !isWordForm(form[first - 1]!);

/** Returns true for one common word that is not a frequent given name. */
export const isCommonWord = (span: NamedSpan, { clues }: Surroundings): boolean =>
  isOneWord(span) && isCommon(clues.listed[span.first]!, span.category);

/** Returns true for several words of which the first has a capital and the last does not. */
export const endsInLower = (
  { first, last }: NamedSpan,
  { tokens: { form } }: Surroundings,
): boolean => form[first] === FORM.capital && form[last - 1] === FORM.lower;

export const isWholeName = (
  { first, last, category }: NamedSpan,
  { clues: { listed } }: Surroundings,
): boolean =>
  category === 'PERSON' &&
  last - first > 1 &&
  (listed[first]! & (LISTED.given | LISTED.popular)) !== 0;

/**
 * Returns true if the span's first word is listed for its category and none of its words is common.
 */
export const isUncommonListedName = (
  { first, last, category }: NamedSpan,
  { clues: { listed } }: Surroundings,
): boolean => {
  for (let index = first; index < last; index++)
    if (isCommon(listed[index]!, category)) return false;
  return (listed[first]! & LISTS_OF[category]) !== 0;
};

export const isCapitalizedName = (
  { first, last, start, end }: NamedSpan,
  { text, tokens }: Surroundings,
) => {
  for (let index = first; index < last; index++) {
    const form = tokens.form[index]!;
    if (form === FORM.lower || form === FORM.mixed || form === FORM.upper) return false;
  }
  return !/\p{L}\.\p{L}{2}|\n/u.test(text.slice(start, end));
};

export const isSingleCapital = ({ start, end }: Span, { text }: Surroundings): boolean =>
  end - start === 1 && /\p{Lu}/u.test(text.charAt(start));

export const startsLine = ({ first }: NamedSpan, { tokens }: Surroundings): boolean =>
  tokens.gap[first] === GAP.line;

/**
 * Returns true for one unlisted word with inner capitals: `RunTests`, but not the listed
 * `McDonald`.
 */
export const isIdentifier = (span: NamedSpan, { tokens, clues }: Surroundings): boolean =>
  isOneWord(span) &&
  tokens.form[span.first] === FORM.mixed &&
  (clues.listed[span.first]! & ~LISTED.common) === 0;

export const hasAcronym = ({ start, end }: Span, { text }: Surroundings): boolean =>
  /^\p{Lu}{2,}\p{Ll}{2}/u.test(text.slice(start, end));

const isOneWord = ({ first, last }: NamedSpan): boolean => last - first === 1;

export const isProduct = (span: NamedSpan, { clues }: Surroundings): boolean =>
  isOneWord(span) && (clues.listed[span.first]! & PRODUCT) === PRODUCT;

/**
 * Returns true for a single word in capitals that is more likely an acronym than a name. For an
 * organisation, the text must also be technical and the word unlisted.
 */
export const isAcronym = (span: NamedSpan, around: Surroundings, isTechnical: boolean): boolean => {
  const { form } = around.tokens;
  const { first, last, category } = span;
  if (!isOneWord(span) || form[first] !== FORM.upper) return false;
  if (form[first - 1] === FORM.upper || form[last] === FORM.upper) return false;
  if (category === 'PERSON') return true;
  return isTechnical && category === 'ORG' && !isListed(span, around, LISTS_OF.ORG);
};

/**
 * Returns true if a comma separates the span from another word that is not common and is a frequent
 * given name, or a capitalized word in a list of person names.
 */
export const isInListOfNames = (
  { first, last }: NamedSpan,
  { text, tokens: { form, start }, clues: { listed } }: Surroundings,
): boolean => {
  const isName = (markIndex: number, wordIndex: number): boolean => {
    if (form[markIndex] !== FORM.punctuation || text.charAt(start[markIndex]!) !== ',')
      return false;
    const bits = listed[wordIndex]!;
    if ((bits & LISTED.common) !== 0) return false;
    const isListedName = (bits & LISTS_OF.PERSON) !== 0 && form[wordIndex] === FORM.capital;
    return isListedName || (bits & LISTED.popular) !== 0;
  };
  return isName(first - 1, first - 2) || isName(last, last + 1);
};

export const isBesideWord = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
) => {
  const hasCapital = (index: number): boolean =>
    form[index] === FORM.capital || form[index] === FORM.upper;
  if (hasCapital(first - 1) || hasCapital(last)) return true;
  for (let index = first; index > first - 4 && gap[index] !== GAP.line; index--)
    if (isWordForm(form[index - 1]!) && form[index - 1] !== FORM.alphanumeric) return true;
  return false;
};

export const isBesideCapital = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
) =>
  (form[first - 1] === FORM.capital && gap[first] === GAP.space) ||
  (form[last] === FORM.capital && gap[last] === GAP.space);

export const isQuoted = ({ start, end }: Span, { text }: Surroundings): boolean =>
  /["'`]/.test(text.charAt(start - 1)) && /["'`]/.test(text.charAt(end));

/**
 * Returns true for one word that starts a quoted value or a sentence and that a lower-case word
 * follows: in most languages, such a word is rarely a name.
 */
export const startsSentence = (
  span: NamedSpan,
  { text, tokens: { form, gap } }: Surroundings,
): boolean =>
  isOneWord(span) &&
  /["'`>.!?] ?$/.test(text.slice(Math.max(0, span.start - 2), span.start)) &&
  form[span.last] === FORM.lower &&
  gap[span.last] === GAP.space;

/** Returns true for words in capitals beside another such word: `SMALL LETTER S WITH CARON`. */
export const isAmongCapitals = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
): boolean => {
  for (let index = first; index < last; index++) if (form[index] !== FORM.upper) return false;
  return (
    (form[first - 1] === FORM.upper && gap[first] === GAP.space) ||
    (form[last] === FORM.upper && gap[last] === GAP.space)
  );
};

/**
 * Returns true for a name whose first word is a frequent given name, or a listed given name that is
 * not also an organisation or a product.
 */
export const isLikelyPerson = (
  { first }: NamedSpan,
  { tokens: { form }, clues: { listed } }: Surroundings,
): boolean => {
  const bits = listed[first]!;
  if (form[first] === FORM.uncased || (bits & LISTED.popular) !== 0) return true;
  return (bits & (LISTED.given | LISTED.org | LISTED.orgCue)) === LISTED.given;
};

/** Returns true for words of a sentence in a script without upper and lower case. */
export const isAmongUncased = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
): boolean =>
  (form[first] === FORM.uncased || form[last - 1] === FORM.uncased) &&
  ((form[first - 1] === FORM.uncased && gap[first] !== GAP.line) ||
    (form[last] === FORM.uncased && gap[last] !== GAP.line));

export const isBesideEmail = ({ last }: NamedSpan, { tokens }: Surroundings): boolean => {
  for (let index = last; index < last + 3 && tokens.gap[index] !== GAP.line; index++)
    if (tokens.form[index] === FORM.taken) return true;
  return false;
};

const VALUE_DELIMITERS = new Set(['"', '{', '}', '[', ']', '<', '>', '|', '=', '\t']);
const KEY_VALUE_DELIMITERS = new Set([...VALUE_DELIMITERS, ':', ',', ';']);

export const isInSentence = (span: NamedSpan, around: Surroundings): boolean =>
  countLowerWords(span, around, VALUE_DELIMITERS) >= SENTENCE_LOWER_WORDS_MIN;

/**
 * Matches an article before a name. A capitalized word after an article is a German noun or a
 * thing, not a person.
 */
const ARTICLE = /(?<!\p{L})(?:an?|the|d(?:er|ie|as|en|em|es)|eine?[mnrs]?|une?|l[ea]s?|el|los) $/iu;

/**
 * Returns true for a listed person among lower-case words and without an article: `waiting for
 * Hugo`.
 */
export const isPersonAmongWords = (span: NamedSpan, around: Surroundings): boolean =>
  !ARTICLE.test(around.text.slice(Math.max(0, span.start - 8), span.start)) &&
  isListed(span, around, LISTS_OF.PERSON) &&
  !isCommon(around.clues.listed[span.first]!, 'PERSON') &&
  countLowerWords(span, around, KEY_VALUE_DELIMITERS) > 0;

const countLowerWords = (
  { first, last }: NamedSpan,
  { text, tokens }: Surroundings,
  delimiters: ReadonlySet<string>,
): number => {
  const { form, gap, start } = tokens;
  let lower = 0;
  const isDelimiterAt = (index: number): boolean =>
    form[index] === FORM.punctuation && delimiters.has(text.charAt(start[index]!));
  for (
    let index = first - 1;
    index >= first - TOKENS_MAX && form[index] !== FORM.edge && !isDelimiterAt(index);
    index--
  ) {
    if (form[index] === FORM.lower) lower++;
    if (gap[index] === GAP.line) break;
  }
  for (
    let index = last;
    index < last + TOKENS_MAX && gap[index] !== GAP.line && !isDelimiterAt(index);
    index++
  )
    if (form[index] === FORM.lower) lower++;
  return lower;
};

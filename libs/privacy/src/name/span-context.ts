import type { Lines } from '../block/find-lines.ts';
import type { Span } from '../span.ts';
import type { Clues } from './features.ts';
import { LISTED } from './gazetteer.ts';
import type { NameCategory } from './labels.ts';
import { FORM, GAP, type Tokens } from './tokenize.ts';

/** A span that the model found, with its first token and the one behind its last. */
export type NamedSpan = Span & { category: NameCategory; first: number; last: number };

/** What a span is judged by. */
export type Surroundings = { text: string; tokens: Tokens; clues: Clues; lines: Lines };

/** The lists that have names of a category. */
export const LISTED_FOR = {
  PERSON: LISTED.given | LISTED.surname | LISTED.popular,
  LOCATION: LISTED.place,
  ORG: LISTED.org | LISTED.orgCue,
  ADDRESS: LISTED.street | LISTED.place,
} as const;

/** Bits that only products have together; training lists them so. */
const PRODUCT = LISTED.street | LISTED.orgCue;

/** Lower words of a value that make it a sentence. */
const SENTENCE_WORDS = 4;
const READ_MAX = 40;

const isWordForm = (form: number): boolean => form < FORM.punctuation && form !== FORM.digits;

export const wordsIn = (
  { first, last }: NamedSpan,
  { form }: Tokens,
): { all: number; lower: number } => {
  let all = 0;
  let lower = 0;
  for (let at = first; at < last; at++) {
    if (isWordForm(form[at]!)) all++;
    if (form[at] === FORM.lower) lower++;
  }
  return { all, lower };
};

export const hasForm = (
  { first, last }: NamedSpan,
  { tokens }: Surroundings,
  form: number,
): boolean => {
  for (let at = first; at < last; at++) if (tokens.form[at] === form) return true;
  return false;
};

/** Whether a word of the span is on one of the lists, or in no Latin script. */
export const isListed = (
  { first, last }: NamedSpan,
  { tokens, clues }: Surroundings,
  bits: number,
) => {
  for (let at = first; at < last; at++)
    if ((clues.listed[at]! & bits) !== 0 || tokens.form[at] === FORM.uncased) return true;
  return false;
};

/** Whether a list has a word as common; names that many people have are common words too. */
const isCommon = (bits: number, category: NameCategory): boolean =>
  (bits & LISTED.common) !== 0 && !(category === 'PERSON' && (bits & LISTED.popular) !== 0);

/** Whether two words or more are a whole name: the first is a given name. */
export const isWholeName = (
  { first, last, category }: NamedSpan,
  { clues: { listed } }: Surroundings,
): boolean =>
  category === 'PERSON' &&
  last - first > 1 &&
  (listed[first]! & (LISTED.given | LISTED.popular)) !== 0;

/** Whether small letters are a name: the first word is listed as one, and none is a common word. */
export const isListedThroughout = (
  { first, last, category }: NamedSpan,
  { clues: { listed } }: Surroundings,
): boolean => {
  for (let at = first; at < last; at++) if (isCommon(listed[at]!, category)) return false;
  return (listed[first]! & LISTED_FOR[category]) !== 0;
};

/** Whether every word of a name is written as names are, with no mark of an identifier between. */
export const isWritten = (
  { first, last, start, end }: NamedSpan,
  { text, tokens }: Surroundings,
) => {
  for (let at = first; at < last; at++) {
    const form = tokens.form[at]!;
    if (form === FORM.lower || form === FORM.mixed || form === FORM.upper) return false;
  }
  return !/\p{L}\.\p{L}{2}|\n/u.test(text.slice(start, end));
};

export const isLetter = ({ start, end }: Span, { text }: Surroundings): boolean =>
  end - start === 1 && /\p{Lu}/u.test(text.charAt(start));

export const startsLine = ({ first }: NamedSpan, { tokens }: Surroundings): boolean =>
  tokens.gap[first] === GAP.line;

/** Capitals within a word: `RunTests` and `MapSource` are identifiers, `McDonald` is listed. */
export const isIdentifier = (span: NamedSpan, { tokens, clues }: Surroundings): boolean =>
  isOneWord(span) &&
  tokens.form[span.first] === FORM.mixed &&
  (clues.listed[span.first]! & ~LISTED.common) === 0;

/** An acronym before a word, as in `SVGPoint`, which few names have. */
export const hasAcronym = ({ start, end }: Span, { text }: Surroundings): boolean =>
  /^\p{Lu}{2,}\p{Ll}{2}/u.test(text.slice(start, end));

const isOneWord = ({ first, last }: NamedSpan): boolean => last - first === 1;

/** Whether a span is one word that the lists have as a product. */
export const isProduct = (span: NamedSpan, { clues }: Surroundings): boolean =>
  isOneWord(span) && (clues.listed[span.first]! & PRODUCT) === PRODUCT;

/**
 * Whether one word in capitals, with no other beside it, is an acronym rather than a name: an
 * organisation only where text is technical and no list has it.
 */
export const isAcronym = (span: NamedSpan, around: Surroundings, isTechnical: boolean): boolean => {
  const { form } = around.tokens;
  const { first, last, category } = span;
  if (!isOneWord(span) || form[first] !== FORM.upper) return false;
  if (form[first - 1] === FORM.upper || form[last] === FORM.upper) return false;
  if (category === 'PERSON') return true;
  return isTechnical && category === 'ORG' && !isListed(span, around, LISTED_FOR.ORG);
};

/**
 * Whether a name stands beside a span, with a comma between: a given name that many people have, or
 * another listed one with a capital.
 */
export const isInListOfNames = (
  { first, last }: NamedSpan,
  { text, tokens: { form, start }, clues: { listed } }: Surroundings,
): boolean => {
  const isName = (mark: number, word: number): boolean => {
    if (form[mark] !== FORM.punctuation || text.charAt(start[mark]!) !== ',') return false;
    const bits = listed[word]!;
    if ((bits & LISTED.common) !== 0) return false;
    const isListedName = (bits & LISTED_FOR.PERSON) !== 0 && form[word] === FORM.capital;
    return isListedName || (bits & LISTED.popular) !== 0;
  };
  return isName(first - 1, first - 2) || isName(last, last + 1);
};

/** Whether a number stands beside a word, as house numbers and postal codes do. */
export const isBesideWord = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
) => {
  const hasCapital = (at: number): boolean => form[at] === FORM.capital || form[at] === FORM.upper;
  if (hasCapital(first - 1) || hasCapital(last)) return true;
  for (let at = first; at > first - 4 && gap[at] !== GAP.line; at--)
    if (isWordForm(form[at - 1]!) && form[at - 1] !== FORM.alphanumeric) return true;
  return false;
};

/** Whether another word with a capital stands right beside a span, as the rest of a name. */
export const isBesideCapital = (
  { first, last }: NamedSpan,
  { tokens: { form, gap } }: Surroundings,
) =>
  (form[first - 1] === FORM.capital && gap[first] === GAP.space) ||
  (form[last] === FORM.capital && gap[last] === GAP.space);

export const isQuoted = ({ start, end }: Span, { text }: Surroundings): boolean =>
  /["'`]/.test(text.charAt(start - 1)) && /["'`]/.test(text.charAt(end));

/** Whether an e-mail address stands right behind: `Ann Lee <ann@example.org>`. */
export const isBesideEmail = ({ last }: NamedSpan, { tokens }: Surroundings): boolean => {
  for (let at = last; at < last + 3 && tokens.gap[at] !== GAP.line; at++)
    if (tokens.form[at] === FORM.taken) return true;
  return false;
};

/** Marks at which a value of data begins or ends. */
const ENDS_VALUE = new Set(['"', '{', '}', '[', ']', '<', '>', '|', '=', '\t']);
/** The same where a key is no part of its value. */
const ENDS_WORDS = new Set([...ENDS_VALUE, ':', ',', ';']);

/** Whether the value around a span is a sentence rather than a name. */
export const isInSentence = (span: NamedSpan, around: Surroundings): boolean =>
  countLower(span, around, ENDS_VALUE) >= SENTENCE_WORDS;

/** Behind these a capital is a noun of German, or a thing. */
const ARTICLE = /(?<!\p{L})(?:an?|the|d(?:er|ie|as|en|em|es)|eine?[mnrs]?|une?|l[ea]s?|el|los) $/iu;

/** Whether a span is listed as a person, and words stand beside it: `waiting for Hugo`. */
export const isPersonInWords = (span: NamedSpan, around: Surroundings): boolean =>
  !ARTICLE.test(around.text.slice(Math.max(0, span.start - 8), span.start)) &&
  isListed(span, around, LISTED_FOR.PERSON) &&
  !isCommon(around.clues.listed[span.first]!, 'PERSON') &&
  countLower(span, around, ENDS_WORDS) > 0;

/** Words in small letters in the value around a span. */
const countLower = (
  { first, last }: NamedSpan,
  { text, tokens }: Surroundings,
  ends: ReadonlySet<string>,
): number => {
  const { form, gap, start } = tokens;
  let lower = 0;
  const endsAt = (at: number): boolean =>
    form[at] === FORM.punctuation && ends.has(text.charAt(start[at]!));
  for (let at = first - 1; at >= first - READ_MAX && form[at] !== FORM.edge && !endsAt(at); at--) {
    if (form[at] === FORM.lower) lower++;
    if (gap[at] === GAP.line) break;
  }
  for (let at = last; at < last + READ_MAX && gap[at] !== GAP.line && !endsAt(at); at++)
    if (form[at] === FORM.lower) lower++;
  return lower;
};

import { LINE } from '../block/line-kind.ts';
import type { CharTable } from './char-table.ts';
import { LISTED } from './gazetteer.ts';
import { createNameKeys, type NameKeys } from './name-keys.ts';
import * as context from './span-context.ts';
import { LISTED_FOR, type NamedSpan, type Surroundings } from './span-context.ts';
import { isGlued, isHandle, isInlineCode, isKey } from './span-marks.ts';
import { EDGES, FORM, GAP, hashWord } from './tokenize.ts';

/** Words before which stands a name, in whatever case. */
const INTRODUCTIONS = `hi hello hey dear thanks thx regards sincerely mr mrs ms miss dr prof sir
  madam herr frau named hallo liebe lieber heiße bonjour hola ciao signor señor`;

/** What a word must be listed as to be a name when it is all of a text. */
const LONE = { ...LISTED_FOR, PERSON: LISTED.popular } as const;

/** Whether a span that the model found is a name where it stands. */
export type Evidence = (span: NamedSpan, around: Surroundings) => boolean;

/** Judges spans by the kind of their line, their key and what is around them. */
export const createEvidence = (table: CharTable): Evidence => {
  const keys = createNameKeys(table);
  const isIntroduced = createIntroductions(table);
  const isInData = createDataEvidence(keys, isIntroduced);

  /** Names in small letters: one word needs an introduction or a key, more must be listed. */
  const isLowerName = (span: NamedSpan, around: Surroundings, kind: number): boolean => {
    if (isIntroduced(span, around)) return true;
    const isPerson = span.category === 'PERSON' && kind === LINE.prose;
    if (isPerson && context.isInListOfNames(span, around)) return true;
    const isOne = !around.text.slice(span.start, span.end).includes(' ');
    if (isOne || kind !== LINE.prose) return keys.person.has(around.tokens.key[span.first]!);
    return context.isListedThroughout(span, around);
  };

  /** One word of technical text: introduced, or listed as what it is said to be. */
  const isTechnicalName = (span: NamedSpan, around: Surroundings, kind: number): boolean => {
    if (isIntroduced(span, around)) return true;
    if (context.isLetter(span, around) || context.isIdentifier(span, around)) return false;
    if (kind !== LINE.prose) return true;
    const isListed = context.isListed(span, around, LISTED_FOR[span.category]);
    return isListed && !(span.category !== 'PERSON' && context.isProduct(span, around));
  };

  return (span, around) => {
    const kind = around.lines.kindAt(span.start);
    if (kind !== LINE.code && isHandle(span, around.text)) return true;
    if (isGlued(span, around.text) || isInlineCode(span, around.text)) return false;
    if (isKey(span, around.text) && !context.isWholeName(span, around)) return false;
    if (span.category === 'ADDRESS') return isAddress(span, around, { kind, keys });
    const { all, lower } = context.wordsIn(span, around.tokens);
    if (all === 0) return false;
    if (lower === all) return isLowerName(span, around, kind);
    const isOne = span.last - span.first === 1;
    if (isOne && isTechnical(kind, around) && !isTechnicalName(span, around, kind)) return false;
    if (context.isIdentifier(span, around))
      if (context.startsLine(span, around) || context.hasAcronym(span, around)) return false;
    if (context.isAcronym(span, around, isTechnical(kind, around))) return false;
    if (around.tokens.count === 1 + EDGES)
      return context.isListed(span, around, LONE[span.category]);
    if (kind === LINE.prose) return true;
    return kind === LINE.data ? isInData(span, around, all) : isInCode(span, around, { all, keys });
  };
};

/** Whether a line is no prose, or stands in a text with code. */
const isTechnical = (kind: number, { lines }: Surroundings): boolean =>
  kind !== LINE.prose || lines.hasCode();

/** Says whether words that come before names stand before a span: `my name is`, `Dear`. */
const createIntroductions = (table: CharTable): Evidence => {
  const introductions = new Set(INTRODUCTIONS.split(/\s+/).map((word) => hashWord(word, table)));
  const is = hashWord('is', table);
  const name = hashWord('name', table);
  return ({ first }, { tokens: { form, gap, word } }) => {
    const hasMark = form[first - 1] === FORM.punctuation;
    // A signature stands on the line below its greeting and comma.
    if (gap[first] === GAP.line && !hasMark) return false;
    const before = hasMark ? first - 2 : first - 1;
    const isAfterVerb = word[first - 1] === is && word[first - 2] === name;
    return isAfterVerb || introductions.has(word[before]!);
  };
};

const hasKeyFor = (keys: NameKeys, { category, first }: NamedSpan, around: Surroundings) => {
  const key = around.tokens.key[first]!;
  if (category === 'PERSON') return keys.person.has(key) || keys.named.has(key);
  if (category === 'ORG') return keys.org.has(key) || keys.named.has(key);
  return keys.place.has(key);
};

/** Values of name-like keys, names within sentences, and names that show what they are. */
const createDataEvidence =
  (keys: NameKeys, isIntroduced: Evidence) =>
  (span: NamedSpan, around: Surroundings, words: number): boolean => {
    if (hasKeyFor(keys, span, around) || context.isInSentence(span, around)) return true;
    const hasNoKey = around.tokens.key[span.first] === 0;
    if (span.category === 'ORG') return context.isListed(span, around, LISTED.orgCue);
    if (span.category === 'LOCATION') return hasNoKey && around.text.charAt(span.end) !== ':';
    if (words > 1 || isIntroduced(span, around)) return true;
    if (context.isBesideCapital(span, around) || context.isInListOfNames(span, around)) return true;
    if (context.isPersonInWords(span, around)) return true;
    return hasNoKey && context.isListed(span, around, LISTED.popular);
  };

type Judged = { all: number; keys: NameKeys };

/** Whole names of people, names beside an e-mail address, and listed names as values of keys. */
const isInCode = (span: NamedSpan, around: Surroundings, { all, keys }: Judged): boolean => {
  if (context.isBesideEmail(span, around)) return true;
  const isListed = context.isListed(span, around, LISTED_FOR[span.category]);
  if (span.category === 'PERSON') return all > 1 && isListed && context.isWritten(span, around);
  return isListed && context.isQuoted(span, around) && hasKeyFor(keys, span, around);
};

/** Numbers with a word beside them, and words with a number or of a street among them. */
const isAddress = (
  span: NamedSpan,
  around: Surroundings,
  { kind, keys }: { kind: number; keys: NameKeys },
): boolean => {
  const written = around.text.slice(span.start, span.end);
  const hasKey = keys.place.has(around.tokens.key[span.first]!);
  if (/^\p{L}+\d\p{L}*$/u.test(written)) return false;
  if (!/\p{L}{2}/u.test(written)) {
    if (kind !== LINE.prose && !hasKey) return false;
    return !written.includes('\n') && context.isBesideWord(span, around);
  }
  const hasDigits = /\d/.test(written);
  const hasStreet = context.isListed(span, around, LISTED_FOR.ADDRESS);
  if (kind === LINE.prose) return hasDigits || hasStreet;
  if (hasKey) return true;
  return kind === LINE.data && hasDigits && hasStreet;
};

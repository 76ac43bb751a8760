import { LINE_KIND } from '../block/line-kind.ts';
import type { CharTable } from './char-table.ts';
import { LISTED } from './gazetteer.ts';
import { createNameKeys, type NameKeys } from './keys.ts';
import * as context from './span-context.ts';
import { LISTS_OF, type NamedSpan, type Surroundings } from './span-context.ts';
import { EDGE_TOKENS, FORM, GAP, hashWord } from './tokenize.ts';
import type { Span } from '../span.ts';

const INTRODUCTIONS = `hi hello hey dear thanks thx regards sincerely mr mrs ms miss dr prof sir
  madam herr herrn frau named hallo liebe lieber heiße bonjour hola ciao signor señor`;

const LISTS_OF_SINGLE_WORD = { ...LISTS_OF, PERSON: LISTED.popular } as const;

export type Evidence = (span: NamedSpan, around: Surroundings) => boolean;

export const createEvidence = (table: CharTable): Evidence => {
  const keys = createNameKeys(table);
  const isIntroduced = createIntroductions(table);
  const isInData = createDataEvidence(keys, isIntroduced);

  /**
   * Returns true for a lower-case name that has evidence: an introduction, a list of names, a
   * person's key, or a listed first word without common words. Which evidence counts depends on the
   * line and on the number of words.
   */
  const isLowerName = (span: NamedSpan, around: Surroundings, kind: number): boolean => {
    if (isIntroduced(span, around)) return true;
    const isPerson = span.category === 'PERSON' && kind === LINE_KIND.prose;
    if (isPerson && context.isInListOfNames(span, around)) return true;
    const isSingleWord = !around.text.slice(span.start, span.end).includes(' ');
    if (isSingleWord || kind !== LINE_KIND.prose)
      return keys.person.has(around.tokens.key[span.first]!) && !context.isInSentence(span, around);
    return context.isUncommonListedName(span, around);
  };

  const isTechnicalName = (span: NamedSpan, around: Surroundings, kind: number): boolean => {
    if (isIntroduced(span, around)) return true;
    if (context.isSingleCapital(span, around) || context.isIdentifier(span, around)) return false;
    if (kind !== LINE_KIND.prose) return true;
    if (context.isAmongCapitals(span, around)) return false;
    if (span.category === 'PERSON') return context.isLikelyPerson(span, around);
    const isListed = context.isListed(span, around, LISTS_OF[span.category]);
    return isListed && !context.isProduct(span, around);
  };

  return (span, around) => {
    const kind = around.lines.kindAt(span.start);
    if (kind !== LINE_KIND.code && isHandle(span, around.text)) return !isTag(span, around);
    if (isPartOfIdentifier(span, around.text) || isInlineCode(span, around.text)) return false;
    if (endsQuotedKey(span, around.text) && !context.isWholeName(span, around)) return false;
    if (span.category === 'ADDRESS') return isAddress(span, around, { kind, keys });
    const { total, lower } = context.wordsIn(span, around.tokens);
    if (total === 0) return false;
    if (lower === total) return isLowerName(span, around, kind);
    const isSingleWord = span.last - span.first === 1;
    if (isSingleWord && isTechnical(kind, around) && !isTechnicalName(span, around, kind))
      return false;
    if (context.isIdentifier(span, around))
      if (context.startsLine(span, around) || context.hasAcronym(span, around)) return false;
    if (context.isAcronym(span, around, isTechnical(kind, around))) return false;
    if (around.tokens.count === 1 + EDGE_TOKENS)
      return context.isListed(span, around, LISTS_OF_SINGLE_WORD[span.category]);
    if (kind === LINE_KIND.prose) return true;
    return kind === LINE_KIND.data
      ? isInData(span, around, total)
      : isInCode(span, around, { total, keys });
  };
};

const isTechnical = (kind: number, { lines }: Surroundings): boolean =>
  kind !== LINE_KIND.prose || lines.hasCode();

const createIntroductions = (table: CharTable): Evidence => {
  const introductions = new Set(INTRODUCTIONS.split(/\s+/).map((word) => hashWord(word, table)));
  const is = hashWord('is', table);
  const name = hashWord('name', table);
  return ({ first }, { tokens: { form, gap, word } }) => {
    const hasMark = form[first - 1] === FORM.punctuation;
    // An introduction on the line before counts only if a punctuation mark follows it, such as the
    // comma after a greeting.
    if (gap[first] === GAP.line && !hasMark) return false;
    const wordIndex = hasMark ? first - 2 : first - 1;
    const isAfterVerb = word[first - 1] === is && word[first - 2] === name;
    return isAfterVerb || introductions.has(word[wordIndex]!);
  };
};

const hasKeyFor = (keys: NameKeys, { category, first }: NamedSpan, around: Surroundings) => {
  const key = around.tokens.key[first]!;
  if (category === 'PERSON') return keys.person.has(key) || keys.named.has(key);
  if (category === 'ORG') return keys.org.has(key) || keys.named.has(key);
  return keys.place.has(key);
};

/**
 * Returns a check of names in data. It accepts values of name-like keys, names within sentences,
 * and names with other evidence that depends on their category.
 */
const createDataEvidence =
  (keys: NameKeys, isIntroduced: Evidence) =>
  (span: NamedSpan, around: Surroundings, words: number): boolean => {
    if (context.startsSentence(span, around))
      return isIntroduced(span, around) || context.isListed(span, around, LISTED.popular);
    if (span.category === 'PERSON' && context.endsInLower(span, around)) return false;
    if (hasKeyFor(keys, span, around) && context.startsPart(span, around))
      return !context.isCommonWord(span, around);
    if (context.isAmongUncased(span, around)) return false;
    if (context.isAmongCapitals(span, around)) return false;
    if (words === 1 && !isLikelyName(span, around))
      return isIntroduced(span, around) || context.isInListOfNames(span, around);
    if (context.isInSentence(span, around)) return true;
    const hasNoKey = around.tokens.key[span.first] === 0;
    if (span.category === 'ORG') return context.isListed(span, around, LISTED.orgCue);
    if (span.category === 'LOCATION') return hasNoKey && around.text.charAt(span.end) !== ':';
    if (words > 1 || isIntroduced(span, around)) return true;
    if (context.isBesideCapital(span, around) || context.isInListOfNames(span, around)) return true;
    if (context.isPersonAmongWords(span, around)) return true;
    return hasNoKey && context.isListed(span, around, LISTED.popular);
  };

/** Returns true for one word that is listed for its category. */
const isLikelyName = (span: NamedSpan, around: Surroundings): boolean =>
  span.category === 'PERSON'
    ? context.isLikelyPerson(span, around)
    : context.isListed(span, around, LISTS_OF[span.category]);

type WordsAndKeys = { total: number; keys: NameKeys };

/**
 * Returns true for a name in code that an e-mail address follows, for a listed full name of a
 * person, and for another listed name that is the quoted value of a name-like key.
 */
const isInCode = (
  span: NamedSpan,
  around: Surroundings,
  { total, keys }: WordsAndKeys,
): boolean => {
  if (context.isBesideEmail(span, around)) return true;
  const isListed = context.isListed(span, around, LISTS_OF[span.category]);
  if (span.category === 'PERSON')
    return total > 1 && isListed && context.isCapitalizedName(span, around);
  return isListed && context.isQuoted(span, around) && hasKeyFor(keys, span, around);
};

/**
 * Returns whether a span is plausible as an address. In prose that is a number next to a word, or a
 * text with a number or a listed street or place, except for one word such as `B1`. In data and
 * code the requirements are stricter.
 */
const isAddress = (
  span: NamedSpan,
  around: Surroundings,
  { kind, keys }: { kind: number; keys: NameKeys },
): boolean => {
  const writtenAddress = around.text.slice(span.start, span.end);
  const hasKey = keys.place.has(around.tokens.key[span.first]!);
  if (/^\p{L}+\d\p{L}*$/u.test(writtenAddress)) return false;
  if (!/\p{L}{2}/u.test(writtenAddress)) {
    if (kind !== LINE_KIND.prose && !hasKey) return false;
    return !writtenAddress.includes('\n') && context.isBesideWord(span, around);
  }
  const hasDigits = /\d/.test(writtenAddress);
  const hasStreet = context.isListed(span, around, LISTS_OF.ADDRESS);
  if (kind === LINE_KIND.prose) return hasDigits || hasStreet;
  if (hasKey) return true;
  if (context.isAmongUncased(span, around)) return false;
  return kind === LINE_KIND.data && hasDigits && hasStreet;
};

const JOINS_BEFORE = /(?:[_$\\]|[\p{L}\d)\]][./-]|::\s?|->)$/u;
const JOINS_AFTER = /^(?:[_$\\(]|[./:-][\p{Ll}_]|\s?::|=[^\s]|\/\S)/u;
const ENDS_KEY = /^["']\s*:/;

const isPartOfIdentifier = ({ start, end }: Span, text: string): boolean =>
  /[_\t]/.test(text.slice(start, end)) ||
  JOINS_BEFORE.test(text.slice(Math.max(0, start - 4), start)) ||
  JOINS_AFTER.test(text.slice(end, end + 4));

const endsQuotedKey = ({ end }: Span, text: string): boolean =>
  ENDS_KEY.test(text.slice(end, end + 4));

/** Tags of documentation comments, which look like handles. */
const DOC_TAGS = new Set(
  `abstract access alias api async author augments borrows callback category class constant
   constructor default defaultvalue deprecated desc description enum event example experimental
   exports extends external file fires flow function generator global hidden hideconstructor ignore
   implements import inheritdoc inner instance interface internal kind lends license link listens
   member memberof method mixes mixin module name namespace noinspection nocheck override package
   param parent precondition preserve private prop property protected public readonly remarks
   requires return returns satisfies sealed see since static summary template test this throws todo
   todo tutorial type typedef typeparam typedef using variation version virtual yields`.split(
    /\s+/,
  ),
);

/**
 * Returns true for one word after `@` or `#`, unless it is a documentation tag or `/` or `(`
 * follows it.
 */
const isHandle = ({ start, end }: Span, text: string): boolean => {
  const hasMark = /[@#]/.test(text.charAt(start));
  const word = text.slice(hasMark ? start + 1 : start, end);
  if (!hasMark && !/(?:^|[\s(.:“"])[@#]$/.test(text.slice(Math.max(0, start - 2), start)))
    return false;
  return /^[\w]+$/.test(word) && !DOC_TAGS.has(word) && !/^[/(]/.test(text.slice(end, end + 1));
};

const LINE_START = /(?:^|\n)[ \t]*(?:[#*]+|\/\/+|--+|"{3}|'{3})?[ \t]*@?$/;

/** Returns true for a tag of documentation: the first word of a line in a text with code. */
const isTag = ({ start }: Span, { text, lines }: Surroundings): boolean =>
  LINE_START.test(text.slice(Math.max(0, start - INLINE_MAX), start)) && lines.hasCode();

const INLINE_MAX = 80;

const isInlineCode = ({ start, end }: Span, text: string): boolean => {
  const textBefore = text.slice(Math.max(0, start - INLINE_MAX), start);
  if (!textBefore.includes('`')) return false;
  const line = textBefore.slice(textBefore.lastIndexOf('\n') + 1);
  const after = /^[^\n`]*`/.test(text.slice(end, end + INLINE_MAX));
  return after && line.split('`').length % 2 === 0;
};

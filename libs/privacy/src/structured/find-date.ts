import { charTest, isAsciiLetter, isDigit, isLetter } from './char-class.ts';
import { type DigitGroups, groupEnd, groupLength, numberOf } from './digit-groups.ts';
import { hashOf, wordHash } from './word-hash.ts';

const MONTHS = [
  `
    january jan januar janvier enero gennaio janeiro januari ene gen янв января stycznia styczeń
    tammikuuta ocak ledna jänner`,
  `
    february feb februar février fevrier febrero febbraio fevereiro februari fév fev февраля
    lutego luty helmikuuta şubat Şubat února`,
  `
    march mar märz maerz mars marzo março maart maa mrz марта marca marzec maaliskuuta mart marts
    března mrt`,
  'april apr avril abril aprile avr abr апреля kwietnia kwiecień huhtikuuta nisan dubna',
  'may mai mayo maggio maio mei maj mag мая maja toukokuuta mayıs května mayis maí',
  'june jun juni juin junio giugno junho giu июня czerwca czerwiec kesäkuuta haziran června',
  'july jul juli juillet julio luglio julho juil lug июля lipca lipiec heinäkuuta temmuz července',
  `
    august aug août aout agosto augustus ago augusti августа sierpnia sierpień elokuuta ağustos
    agustos srpna`,
  `
    september sep sept septembre septiembre settembre setembro set сентября września wrzesień
    syyskuuta eylül eylul září`,
  `
    october oct oktober octobre octubre ottobre outubro okt ott out октября października
    październik lokakuuta ekim října`,
  'november nov novembre noviembre novembro ноября listopada listopad marraskuuta kasım kasim',
  `
    december dec dezember décembre diciembre dicembre dezembro dez déc dic декабря grudnia
    grudzień joulukuuta aralık aralik prosince des desember`,
];

const MONTH_BY_HASH: ReadonlyMap<number, number> = new Map(
  MONTHS.flatMap((names, index) =>
    names
      .split(/\s+/)
      .filter(Boolean)
      .map((name) => [wordHash(name), index + 1]),
  ),
);

const isGapMark = charTest(' .,-');
/** Tests for the first letters of what may follow a day: `st`, `nd`, `rd`, `th`, `er`. */
const isSuffixStart = charTest('esnrt');
const MAX_LOOSE = 36;
const LOOSE_GAP = '(?:[./-] ?| [./-] ?|[ \\u00a0])';
const LOOSE_DATE = new RegExp(
  `^(\\d{1,2})${LOOSE_GAP}(\\d{1,2})${LOOSE_GAP}(?:(?:18|19|20)\\d{2}|\\d{2})(?!\\w)`,
);
const SHORT_YEAR = /^\d{1,2}[ .-]{0,2}(\p{L}{3,12})[ .-]{0,2}(?:'?\d{2}|(?:18|19|20)\d{2})(?!\w)/u;
const YEAR_FIRST = /^(?:18|19|20)\d{2}[ ,.-]{1,2}(\p{L}{3,12})[ .-]{1,2}\d{1,2}(?!\w)/u;
const COMPACT_DATE = /^(?:18|19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?!\w)/;

export type DateRange = { start: number; end: number };

export function findNumericDate(text: string, groups: DigitGroups): DateRange | undefined {
  if (groups.count < 3) return undefined;
  const separator = groups.separator[0];
  if (
    separator !== groups.separator[1] ||
    (separator !== 0x2d && separator !== 0x2e && separator !== 0x2f)
  ) {
    return undefined;
  }
  if (groups.count > 3 && groups.separator[2] === separator) return undefined;
  const firstLength = groupLength(groups, 0);
  const secondLength = groupLength(groups, 1);
  const thirdLength = groupLength(groups, 2);
  if (firstLength > 4 || secondLength > 2 || thirdLength > 4 || secondLength === 0)
    return undefined;
  const first = numberOf(text, groups, 0);
  const second = numberOf(text, groups, 1);
  const third = numberOf(text, groups, 2);
  const isYearFirst =
    firstLength === 4 && thirdLength <= 2 && isYear(first) && isMonthDay(second, third);
  const isYearLast =
    firstLength <= 2 && thirdLength === 4 && isYear(third) && isDayMonth(first, second);
  const isYearShort =
    firstLength === 2 && secondLength === 2 && thirdLength === 2 && isDayMonth(first, second);
  if (!isYearFirst && !isYearLast && !isYearShort) return undefined;
  return { start: groups.start[0] ?? 0, end: groupEnd(groups, 2) };
}

/** Finds a date with a month name around the number: `12 March 1985`, `May 3, 2001`. */
export function findWrittenDate(text: string, start: number, end: number): DateRange | undefined {
  if (end - start > 2 || end === text.length) return undefined;
  const next = text.charCodeAt(end);
  if (!isGap(next) && !isSuffixStart(next)) return undefined;
  const dayFirstDate = findDayFirst(text, start, end);
  return dayFirstDate ?? findMonthFirst(text, start, end);
}

/**
 * Finds forms of a date that count as one only after a cue for a birth date, for example with
 * spaces, without separators, with a two-digit year, or with month and year only.
 */
export function findLooseDate(text: string, start: number): DateRange | undefined {
  if (isYearAt(text, start) && !isDigit(text.charCodeAt(start + 4)))
    return findMonthAndYear(text, start);
  const rest = text.slice(start, start + MAX_LOOSE);
  const end = isDigit(text.charCodeAt(start + 1)) ? start + 2 : start + 1;
  const wordStart = skipGaps(text, isDigit(text.charCodeAt(end)) ? end + 2 : end, 2);
  if (isLetter(text.charCodeAt(wordStart))) {
    if (!MONTH_BY_HASH.has(hashOf(text, wordStart, lettersEnd(text, wordStart)))) return undefined;
    const writtenMatch = SHORT_YEAR.exec(rest);
    if (writtenMatch !== null) return { start, end: start + writtenMatch[0].length };
  }
  const numericMatch = wordStart - end > 2 ? null : LOOSE_DATE.exec(rest);
  if (numericMatch !== null) {
    const isValid = isDayMonth(Number(numericMatch[1]), Number(numericMatch[2]));
    return isValid ? { start, end: start + numericMatch[0].length } : undefined;
  }
  const compactMatch = COMPACT_DATE.exec(rest);
  if (compactMatch !== null) return { start, end: start + compactMatch[0].length };
  return undefined;
}

function findMonthAndYear(text: string, start: number): DateRange | undefined {
  const from = skipGaps(text, start + 4, 2);
  if (MONTH_BY_HASH.has(hashOf(text, from, lettersEnd(text, from)))) {
    const writtenMatch = YEAR_FIRST.exec(text.slice(start, start + MAX_LOOSE));
    if (writtenMatch !== null) return { start, end: start + writtenMatch[0].length };
  }
  if (text.charCodeAt(start - 1) !== 0x20) return undefined;
  const gapLength = text.startsWith(' de ', start - 4) ? 4 : 1;
  const word = monthStartBefore(text, start - gapLength);
  return word < 0 ? undefined : { start: word, end: start + 4 };
}

export function findEastAsianDate(text: string, start: number, end: number): DateRange | undefined {
  if (end === text.length) return undefined;
  const mark = text.charCodeAt(end);
  if (mark !== 0x5e74 && mark !== 0xb144) return undefined;
  if (end - start !== 4) return undefined;
  const rest = /^[年년] ?\d{1,2}[月월] ?\d{1,2}[日일]/.exec(text.slice(end, end + 12));
  return rest === null ? undefined : { start, end: end + rest[0].length };
}

function findDayFirst(text: string, start: number, end: number): DateRange | undefined {
  let i = end;
  if (isAsciiLetter(text.charCodeAt(i))) i += 2;
  i = skipGaps(text, i, 3);
  if (text.startsWith('de ', i) || text.startsWith('of ', i)) i += 3;
  const wordEnd = lettersEnd(text, i);
  if (wordEnd === i || !MONTH_BY_HASH.has(hashOf(text, i, wordEnd))) return undefined;
  let year = skipGaps(text, wordEnd, 3);
  if (text.startsWith('de ', year)) year += 3;
  return isYearAt(text, year) ? { start, end: year + 4 } : undefined;
}

function findMonthFirst(text: string, start: number, end: number): DateRange | undefined {
  let i = end;
  if (isAsciiLetter(text.charCodeAt(i))) i += 2;
  const year = skipGaps(text, i, 2);
  if (year === i || !isYearAt(text, year)) return undefined;
  let wordEnd = start;
  while (wordEnd > start - 2 && isGap(text.charCodeAt(wordEnd - 1))) wordEnd--;
  const word = monthStartBefore(text, wordEnd);
  return word < 0 ? undefined : { start: word, end: year + 4 };
}

function monthStartBefore(text: string, end: number): number {
  let word = end;
  while (word > end - 12 && isLetter(text.charCodeAt(word - 1))) word--;
  return MONTH_BY_HASH.has(hashOf(text, word, end)) ? word : -1;
}

function skipGaps(text: string, from: number, limit: number): number {
  let i = from;
  while (i < from + limit && isGap(text.charCodeAt(i))) i++;
  return i;
}

function isGap(c: number): boolean {
  return isGapMark(c) || c === 0xa0;
}

function lettersEnd(text: string, from: number): number {
  let i = from;
  while (i < from + 12 && isLetter(text.charCodeAt(i))) i++;
  return i;
}

function isYearAt(text: string, offset: number): boolean {
  for (let i = offset; i < offset + 4; i++) if (!isDigit(text.charCodeAt(i))) return false;
  return !isDigit(text.charCodeAt(offset + 4)) && isYear(Number(text.slice(offset, offset + 4)));
}

function isYear(year = 0): boolean {
  return year >= 1850 && year <= 2099;
}

function isMonthDay(month = 0, day = 0): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

function isDayMonth(first = 0, second = 0): boolean {
  return isMonthDay(first, second) || isMonthDay(second, first);
}

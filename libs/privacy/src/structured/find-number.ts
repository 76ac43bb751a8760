import { isAlnum, isDigit } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { type DigitGroups, groupEnd, groupLength, readDigitGroups } from './digit-groups.ts';
import { findCardAcrossLines, findCard } from './find-card.ts';
import { findCue } from './find-cue.ts';
import { findCuedToken } from './find-cued-token.ts';
import {
  type DateRange,
  findEastAsianDate,
  findLooseDate,
  findNumericDate,
  findWrittenDate,
} from './find-date.ts';
import { findIpv4 } from './find-network-address.ts';
import { findNationalNumber } from './find-national-number.ts';
import { findPhone } from './find-phone.ts';
import { findHeaderCue, findListCue } from './find-surrounding-cue.ts';
import { skipTo, type Found, found, type Scan } from './scan.ts';

const MIN_DIGITS = 6;
const LIST_GROUPS = 12;
const MAX_ZIP_WORDS = 3;

export function findNumber(scan: Scan, start: number): Found {
  const { text, groups } = scan;
  readDigitGroups(text, start, groups);
  const first = skipTo(groupEnd(groups, 0));
  const date = findDate(text, groups);
  if (date !== undefined)
    return isBirthDate(scan, date.start) ? toBirthDate(date) : skipTo(date.end);
  const address = findIpv4(text, groups);
  if (address !== undefined) return address;
  if (start < scan.urlEnd || isAmount(scan, start)) return first;
  const looseBirthDate = findLooseBirthDate(scan);
  if (looseBirthDate !== undefined) return looseBirthDate;
  if (isThousandsGroup(text, groups)) return skipTo(groupEnd(groups, groups.count - 1));
  const digits = countDigits(groups);
  if (digits < 3) return first;
  const cardAcrossLines = findCardAcrossLines(text, groups);
  if (cardAcrossLines !== undefined) return cardAcrossLines;
  if (digits < MIN_DIGITS) {
    if (
      text.charCodeAt(start - 1) === 0x23 ||
      isYear(text, start, digits) ||
      findCue(text, start, MAX_ZIP_WORDS) !== 'zip'
    )
      return first;
    return findZip(text, groups) ?? first;
  }
  const cue = cueAt(scan, start);
  if (cue === 'zip' && digits <= 12) return findZip(text, groups) ?? first;
  return findByCue(text, groups, cue) ?? (groups.count < LIST_GROUPS ? first : skipList(groups));
}

/**
 * Skips a long list of numbers except for its last groups, because another value may start there.
 */
function skipList(groups: DigitGroups): Found {
  return skipTo(groupEnd(groups, groups.count - LIST_GROUPS / 2 - 1));
}

function findByCue(text: string, groups: DigitGroups, cue?: Cue): Found | undefined {
  const start = groups.start[0] ?? 0;
  if (cue === 'card') {
    const card = findCard(text, groups, cue);
    if (card !== undefined) return card;
  }
  if (cue === 'account' || cue === 'passport' || cue === 'license' || cue === 'iban') {
    const card = findCard(text, groups);
    if (card?.category !== undefined) return card;
    const token = findCuedToken(text, start, cue);
    if (token !== undefined) return token;
  }
  return (
    findNationalNumber(text, groups, cue) ??
    findCard(text, groups, cue) ??
    findPhone(text, groups, cue)
  );
}

/**
 * Returns the cue of a number, in order of precedence from the column header, the words before it,
 * or the previous value of a list.
 */
function cueAt(scan: Scan, start: number): Cue | undefined {
  return findHeaderCue(scan, start) ?? findCue(scan.text, start) ?? findListCue(scan, start);
}

/**
 * Returns true after a cue for a birth date. Does not use the previous value of a list as a cue,
 * because dates of birth rarely occur in lists.
 */
function isBirthDate(scan: Scan, start: number): boolean {
  return (findHeaderCue(scan, start) ?? findCue(scan.text, start)) === 'birth';
}

function findDate(text: string, groups: DigitGroups): DateRange | undefined {
  const start = groups.start[0] ?? 0;
  const end = groupEnd(groups, 0);
  if (groupLength(groups, 0) > 4) return undefined;
  return (
    findNumericDate(text, groups) ??
    findWrittenDate(text, start, end) ??
    findEastAsianDate(text, start, end)
  );
}

function findLooseBirthDate(scan: Scan): Found | undefined {
  const { text, groups } = scan;
  const start = groups.start[0] ?? 0;
  if (!mayBeLooseDate(text, start, groupEnd(groups, 0))) return undefined;
  const date = findLooseDate(text, start);
  return date !== undefined && isBirthDate(scan, date.start) ? toBirthDate(date) : undefined;
}

function mayBeLooseDate(text: string, start: number, end: number): boolean {
  const length = end - start;
  const first = text.charCodeAt(start);
  if (length === 8) return first === 0x31 || first === 0x32;
  if (length === 4)
    return (first === 0x31 || first === 0x32) && text.charCodeAt(start - 1) === 0x20;
  if (length > 2 || end + 1 >= text.length) return false;
  const c = text.charCodeAt(end);
  if (c !== 0x20 && c !== 0xa0 && (c < 0x2d || c > 0x2f)) return false;
  const next = text.charCodeAt(end + 1);
  return next > 0x2c || isDigit(text.charCodeAt(end + 2));
}

function toBirthDate(date: DateRange): Found {
  return found(date.start, date.end, 'DATE_OF_BIRTH');
}

function isAmount(scan: Scan, start: number): boolean {
  const { text } = scan;
  const charBefore = text.charCodeAt(start - 1);
  if (charBefore === 0x24 || charBefore === 0x20ac || charBefore === 0xa3 || charBefore === 0xa5)
    return true;
  const isDecimal = charBefore === 0x2e || charBefore === 0x2c;
  if (!isDecimal || !isDigit(text.charCodeAt(start - 2)) || isCsvField(text, start)) return false;
  return charBefore === 0x2e || findHeaderCue(scan, start) === undefined;
}

function isThousandsGroup(text: string, groups: DigitGroups): boolean {
  const end = groupEnd(groups, groups.count - 1);
  if (text.charCodeAt(end) !== 0x2c || !isDigit(text.charCodeAt(end + 1))) return false;
  if (groupLength(groups, 0) > 3 || isDigit(text.charCodeAt(end + 3))) return false;
  for (let i = 1; i < groups.count; i++) if (groupLength(groups, i) !== 3) return false;
  return true;
}

function isYear(text: string, start: number, digits: number): boolean {
  return digits === 4 && (text.startsWith('19', start) || text.startsWith('20', start));
}

/**
 * Returns true for a number after a comma with more than three digits, which is a CSV field and not
 * a thousands group.
 */
function isCsvField(text: string, start: number): boolean {
  if (text.charCodeAt(start - 1) !== 0x2c) return false;
  return isDigit(text.charCodeAt(start + 3));
}

function countDigits(groups: DigitGroups): number {
  let digits = 0;
  for (let i = 0; i < groups.count; i++) digits += groupLength(groups, i);
  return digits;
}

function findZip(text: string, groups: DigitGroups): Found | undefined {
  const length = groupLength(groups, 0);
  if (length < 3 || length > 7) return undefined;
  const hasSecondPart = groups.separator[0] === 0x2d && groupLength(groups, 1) <= 4;
  const end = groupEnd(groups, hasSecondPart ? 1 : 0);
  return isAlnum(text.charCodeAt(end)) ? undefined : found(groups.start[0] ?? 0, end, 'ADDRESS');
}

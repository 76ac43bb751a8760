import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { isAlnum, isAsciiLetter, isDigit, isHex } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { digitsOf, type DigitGroups, groupEnd, groupLength } from './digit-groups.ts';
import { type Found, found } from './scan.ts';
import { hashOf, hashSet } from './word-hash.ts';

const WORDS_AFTER_PHONE: ReadonlySet<number> = hashSet(
  `office fax home work cell mobile phone tel telephone landline ext extension handy mobil privat
   büro buero oficina casa móvil movil bureau domicile portable ufficio cellulare kantoor thuis`,
);

const EXTENSION = /^(?: ?x ?|,? ?ext(?:ension)?[.:]? ?|;ext=| ?# ?)(\d{1,6})(?![\w])/i;
const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const SLASH = 0x2f;
const OPEN = 0x28;
const PLUS = 0x2b;

export function findPhone(text: string, groups: DigitGroups, cue?: Cue): Found | undefined {
  const first = groups.start[0] ?? 0;
  const start = phoneStart(text, first);
  const isInternational = text.charCodeAt(first - 1) === PLUS || text.charCodeAt(start) === PLUS;
  if (!isInternational && isPartOfLongerToken(text, start, cue)) return undefined;
  const count = isInternational
    ? countInternationalGroups(text, groups)
    : countNationalGroups(text, groups, { cue, isBracketed: start < first });
  if (count === 0) return undefined;
  const end = extensionEnd(text, groupEnd(groups, count - 1));
  const charAfter = text.charCodeAt(end);
  if (isAlnum(charAfter) || charAfter === 0x25 || charAfter === 0x5f) return undefined;
  return found(start, end, 'PHONE');
}

function phoneStart(text: string, first: number): number {
  let start = first;
  if (text.charCodeAt(start - 1) === OPEN) start--;
  if (text.charCodeAt(start - 1) === PLUS) {
    // In `(+49) 30 1234567`, the brackets around the country code belong to the phone number.
    const hasOpeningBracket =
      start === first && text.charCodeAt(start - 2) === OPEN && closesAreaCode(text, first);
    return hasOpeningBracket ? start - 2 : start - 1;
  }
  if (
    start < first &&
    text.charCodeAt(start - 1) === SPACE &&
    text.charCodeAt(start - 2) === PLUS
  ) {
    return start - 2;
  }
  return start < first && !closesAreaCode(text, first) ? first : start;
}

function closesAreaCode(text: string, first: number): boolean {
  for (let i = first; i < first + 6; i++) {
    const c = text.charCodeAt(i);
    if (c === 0x29) {
      const next = text.charCodeAt(i + 2);
      return isDigit(text.charCodeAt(i + 1)) || isDigit(next) || next === OPEN;
    }
    if (!isDigit(c)) return false;
  }
  return false;
}

function isPartOfLongerToken(text: string, start: number, cue?: Cue): boolean {
  if (start === 0) return false;
  const charBefore = text.charCodeAt(start - 1);
  if (cue === 'phone' && (charBefore === 0x23 || charBefore === 0x2c)) return false;
  if (charBefore === DOT || charBefore === SLASH || charBefore === 0x23 || charBefore === 0x24)
    return true;
  if (charBefore === 0x20ac || charBefore === 0xa3) return true;
  if (charBefore === 0x2c && isDigit(text.charCodeAt(start - 2))) {
    return !isDigit(text.charCodeAt(start + 3));
  }
  return charBefore === DASH && isAlnum(text.charCodeAt(start - 2));
}

function countInternationalGroups(text: string, groups: DigitGroups): number {
  let count = 0;
  let digits = 0;
  while (count < groups.count && (count === 0 || groups.separator[count - 1] !== SLASH)) {
    digits += groupLength(groups, count);
    if (digits > 15) break;
    count++;
  }
  for (; count > 0; count--) {
    const value = digitsWithoutTrunk(text, groups, count);
    if (value.length < 7) return 0;
    if (value.startsWith('1')) {
      if (value.length === 11) return count;
    } else if (parsePhoneNumberFromString(`+${value}`)?.isPossible() === true) return count;
    else if (count === 1 || value.length <= 9) return value.length >= 8 ? count : 0;
  }
  return 0;
}

/** Returns the digits of the number without the trunk prefix `(0)` after a country code. */
function digitsWithoutTrunk(text: string, groups: DigitGroups, count: number): string {
  const second = groups.start[1] ?? 0;
  if (count < 3 || groupLength(groups, 1) !== 1 || !text.startsWith('(0)', second - 1)) {
    return digitsOf(text, groups, 0, count);
  }
  return digitsOf(text, groups, 0, 1) + digitsOf(text, groups, 2, count);
}

function countNationalGroups(
  text: string,
  groups: DigitGroups,
  { cue, isBracketed }: { cue?: Cue; isBracketed: boolean },
): number {
  const americanCount =
    cue === 'deny' && !isBracketed ? 0 : countAmericanGroups(text, groups, isBracketed);
  if (americanCount > 0) return americanCount;
  const count = countNumberGroups(text, groups);
  if (count === 0) return 0;
  const digits = digitsOf(text, groups, 0, count).length;
  if (cue === 'phone' && isHouseNumber(text, groups, count)) return 0;
  if (cue === 'phone' || isFollowedByPhoneWord(text, groupEnd(groups, count - 1)))
    return digits >= 6 ? count : 0;
  if (cue !== undefined || count === 1) return 0;
  if (isBracketed && isAreaInBrackets(text, groups, digits)) return count;
  const hasTrunkPrefix = text.charCodeAt(groups.start[0] ?? 0) === 0x30;
  const hasExitCode =
    text.startsWith('00', groups.start[0]) || text.startsWith('011', groups.start[0]);
  if (
    !hasTrunkPrefix ||
    digits < (hasExitCode ? 11 : 9) ||
    digits > (hasExitCode ? 15 : 12) ||
    (hasDot(groups, count) && !isDottedPairs(text, groups, count))
  )
    return 0;
  if (isHexDump(text, groups, count)) return 0;
  const hasPlausibleGroups = groupLength(groups, 0) <= 5 && groupLength(groups, 1) >= 2;
  return hasPlausibleGroups && (isBracketed || count >= 3) ? count : 0;
}

/**
 * Returns the number of groups of an American phone number, such as `(ddd) ddd-dddd`,
 * `ddd-ddd-dddd` or `ddd.ddd.dddd`, with or without a leading `1` or `001`. Returns 0 for other
 * forms.
 */
function countAmericanGroups(text: string, groups: DigitGroups, isBracketed: boolean): number {
  const prefix = text.slice(groups.start[0], groups.end[0]);
  const from = prefix === '1' || prefix === '001' ? 1 : 0;
  const lengths = [from, from + 1, from + 2].map((i) => groupLength(groups, i)).join('');
  if (lengths !== '334') return 0;
  const [firstSeparator, secondSeparator] = [
    groups.separator[from] ?? 0,
    groups.separator[from + 1] ?? 0,
  ];
  if (
    firstSeparator === SLASH ||
    secondSeparator === SLASH ||
    text.charCodeAt(groups.start[from] ?? 0) === 0x30
  )
    return 0;
  const isSpaced =
    firstSeparator === SPACE && secondSeparator === SPACE && !isBracketed && from === 0;
  if (groups.separator[from + 2] === secondSeparator && secondSeparator !== SPACE) return 0;
  return isSpaced ? 0 : from + 3;
}

function isDottedPairs(text: string, groups: DigitGroups, count: number): boolean {
  if (count !== 5 || text.charCodeAt((groups.start[0] ?? 0) + 1) === 0x30) return false;
  for (let i = 0; i < count; i++) {
    if (groupLength(groups, i) !== 2 || (i < 4 && groups.separator[i] !== DOT)) return false;
  }
  return true;
}

/**
 * Returns true if all groups are pairs of digits, unless they are the five pairs of a French phone
 * number without hex pairs around them.
 */
function isHexDump(text: string, groups: DigitGroups, count: number): boolean {
  for (let i = 0; i < count; i++) if (groupLength(groups, i) !== 2) return false;
  if (count !== 5 || groups.count > count) return true;
  const start = groups.start[0] ?? 0;
  const end = groupEnd(groups, count - 1);
  return isHexPair(text, start - 3) || isHexPair(text, end + 1);
}

function isHexPair(text: string, offset: number): boolean {
  if (!isHex(text.charCodeAt(offset)) || !isHex(text.charCodeAt(offset + 1))) return false;
  return !isAlnum(text.charCodeAt(offset - 1)) && !isAlnum(text.charCodeAt(offset + 2));
}

/**
 * Returns true for `(22) 154-300`: an area code of two to four digits that is not a year, and at
 * least five more digits; 7 to 12 digits in total.
 */
function isAreaInBrackets(text: string, groups: DigitGroups, digits: number): boolean {
  const area = groupLength(groups, 0);
  if (area < 2 || area > 4 || digits < 7 || digits > 12 || digits - area < 5) return false;
  return area < 4 || !/^(?:19|20)/.test(text.slice(groups.start[0], groups.end[0]));
}

/**
 * Returns true for two numbers before a capitalized word, which may be a street: "call a taxi to 14
 * 3684 Court Street".
 */
function isHouseNumber(text: string, groups: DigitGroups, count: number): boolean {
  if (count !== 2 || groups.separator[0] !== SPACE) return false;
  return /^ [A-Z]/.test(text.slice(groupEnd(groups, 1), groupEnd(groups, 1) + 2));
}

/**
 * Returns how many groups form one phone number of 6 to 14 digits (17 with an international
 * prefix), or 0 if they do not form one.
 */
function countNumberGroups(text: string, groups: DigitGroups): number {
  const first = groups.start[0] ?? 0;
  const maxDigits = text.startsWith('00', first) || text.startsWith('011', first) ? 17 : 14;
  let count = 0;
  let digits = 0;
  while (count < groups.count) {
    const length = groupLength(groups, count);
    if (digits + length > maxDigits) break;
    digits += length;
    count++;
    const separator = groups.separator[count - 1];
    if (separator === SLASH && count > 1) break;
  }
  const continuesWithDash = count < groups.count && groups.separator[count - 1] === DASH;
  return digits < 6 || continuesWithDash || isFollowedByDecimals(text, groups, count) ? 0 : count;
}

function isFollowedByDecimals(text: string, groups: DigitGroups, count: number): boolean {
  const end = groupEnd(groups, count - 1);
  return text.charCodeAt(end) === 0x2c && isDigit(text.charCodeAt(end + 1));
}

function hasDot(groups: DigitGroups, count: number): boolean {
  for (let i = 0; i + 1 < count; i++) {
    if (groups.separator[i] === DOT || groups.separator[i] === SLASH) return true;
  }
  return false;
}

function isFollowedByPhoneWord(text: string, end: number): boolean {
  let i = extensionEnd(text, end);
  while (i < end + 10 && !isAsciiLetter(text.charCodeAt(i))) {
    const c = text.charCodeAt(i);
    if (c !== SPACE && c !== DASH && c !== OPEN) return false;
    i++;
  }
  let word = i;
  while (word < i + 10 && isAsciiLetter(text.charCodeAt(word))) word++;
  return WORDS_AFTER_PHONE.has(hashOf(text, i, word));
}

function extensionEnd(text: string, end: number): number {
  const next = text.charCodeAt(end);
  if (next !== SPACE && next !== 0x2c && next !== 0x3b && next !== 0x23 && !isAsciiLetter(next))
    return end;
  const tail = EXTENSION.exec(text.slice(end, end + 22));
  return tail === null ? end : end + tail[0].length;
}

import {
  isAadhaar,
  isBrazilianCpf,
  isNationalDigits,
  isFinnishHenkilotunnus,
  isFrenchNir,
  isSpanishDniOrNie,
  isSwedishPersonnummer,
  isBritishNino,
  isSocialSecurityNumber,
} from './national-id.ts';
import { charTest, isAlnum, isDigit, isUnicodeSpace } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { digitsOf, type DigitGroups, groupEnd, groupLength, hasShape } from './digit-groups.ts';
import { findCuedToken } from './find-cued-token.ts';
import { type Found, found } from './scan.ts';
import { findCue } from './find-cue.ts';

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const isJoinMark = charTest('-./#+');
const MAX_DIGITS = 16;
const SWISS_PREFIX = '756';
const BRITISH_NINO = /^[A-Z]{2}(?:([ -])\d{2}\1\d{2}\1\d{2}\1[A-D]| \d{6} [A-D]| \d{6}[A-D])/;
const LETTER_SUFFIX = new RegExp(
  [
    '-[A-Za-z](?!\\w)',
    ' [A-Z] \\d{2,3}(?!\\w)',
    " [A-Z](?![\\w'’]| \\p{Ll})",
    '\\+\\d{4}(?!\\w)',
    '\\(\\d\\)',
    '/\\d{4}(?!\\w)',
  ]
    .map((form) => `^${form}`)
    .join('|'),
  'u',
);

export function findNationalNumber(
  text: string,
  groups: DigitGroups,
  cue?: Cue,
): Found | undefined {
  const start = groups.start[0] ?? 0;
  const spanish = findDashedSpanishId(text, start, groupEnd(groups, 0));
  if (spanish !== undefined) return spanish;
  const count = countDistinctiveGroups(text, groups);
  if (count > 0 && !isPartOfLongerToken(text, start))
    return toSpan(text, groups, count, 'NATIONAL_ID');
  if (cue !== 'national' && cue !== 'identity' && cue !== 'tax') return undefined;
  const token = text.charCodeAt(start - 1) === SPACE ? findCuedToken(text, start, cue) : undefined;
  if (token !== undefined && token.start < start) return token;
  const cuedCount = countCuedGroups(groups);
  const digits = digitsOf(text, groups, 0, cuedCount);
  if (cue === 'identity') {
    return isNationalDigits(digits) ? toSpan(text, groups, cuedCount, 'NATIONAL_ID') : undefined;
  }
  const category = cue === 'tax' ? 'TAX_ID' : 'NATIONAL_ID';
  const end = letterSuffixEnd(text, groupEnd(groups, cuedCount - 1));
  if (end !== 0 && digits.length >= 5) return found(start, end, category);
  const cuedNumber = digits.length < 7 ? undefined : toSpan(text, groups, cuedCount, category);
  return cuedNumber ?? findCuedToken(text, start, cue);
}

function findDashedSpanishId(text: string, start: number, end: number): Found | undefined {
  const length = end - start;
  if ((length !== 8 && length !== 7) || text.charCodeAt(end) !== DASH) return undefined;
  const first = length === 8 ? start : start - 2;
  const value = text.slice(first, end + 2);
  if (isAlnum(text.charCodeAt(first - 1)) || isPartOfLongerToken(text, first)) return undefined;
  if (isAlnum(text.charCodeAt(end + 2)) || !/^(?:[XYZ]-\d{7}|\d{8})-[A-Z]$/.test(value))
    return undefined;
  return isSpanishDniOrNie(value.replaceAll('-', ''))
    ? found(first, end + 2, 'NATIONAL_ID')
    : undefined;
}

/**
 * Returns the end offset of a suffix such as `-T`, ` T`, `+2057` or ` R 579`, or 0 if there is
 * none.
 */
function letterSuffixEnd(text: string, end: number): number {
  const tail = LETTER_SUFFIX.exec(text.slice(end, end + 8))?.[0].length ?? 0;
  return tail === 0 ? 0 : end + tail;
}

function countDistinctiveGroups(text: string, groups: DigitGroups): number {
  if (hasShape(groups, [3, 2, 4], DASH)) return isEnd(groups, 3, DASH) ? 3 : 0;
  const digits = (count: number): string => digitsOf(text, groups, 0, count);
  if (hasShape(groups, [3, 2, 4], SPACE) && hasUnicodeSpaces(text, groups)) {
    return isEnd(groups, 3, SPACE) && isSocialSecurityNumber(digits(3)) ? 3 : 0;
  }
  if (hasShape(groups, [3, 3, 3], DOT) && groupLength(groups, 3) === 2) {
    return groups.separator[2] === DASH && isBrazilianCpf(digits(4)) ? 4 : 0;
  }
  if (hasShape(groups, [3, 4, 4, 2], DOT)) {
    return isEnd(groups, 4, DOT) && digits(1) === SWISS_PREFIX ? 4 : 0;
  }
  const isGroupedByFour = hasShape(groups, [4, 4, 4], SPACE) && isEnd(groups, 3, SPACE);
  if (isGroupedByFour) return isAadhaar(digits(3)) ? 3 : 0;
  if (hasShape(groups, [6, 4], DASH) || hasShape(groups, [8, 4], DASH)) {
    return isEnd(groups, 2, DASH) && isSwedishPersonnummer(digits(2)) ? 2 : 0;
  }
  if (hasShape(groups, [1, 2, 2, 2, 3, 3, 2], SPACE)) return isFrenchNir(digits(7)) ? 7 : 0;
  return groupLength(groups, 0) === 15 && isFrenchNir(digits(1)) ? 1 : 0;
}

function hasUnicodeSpaces(text: string, groups: DigitGroups): boolean {
  const [first, second] = [0, 1].map((index) => text.charCodeAt(groupEnd(groups, index)));
  return isUnicodeSpace(first!) && isUnicodeSpace(second!);
}

function isEnd(groups: DigitGroups, count: number, separator: number): boolean {
  return groups.count === count || groups.separator[count - 1] !== separator;
}

function isPartOfLongerToken(text: string, start: number): boolean {
  return isJoinMark(text.charCodeAt(start - 1));
}

function countCuedGroups(groups: DigitGroups): number {
  let digits = 0;
  let count = 0;
  while (count < groups.count && digits + groupLength(groups, count) <= MAX_DIGITS) {
    digits += groupLength(groups, count);
    count++;
    const separator = groups.separator[count - 1];
    // In "123456789 2024", the second group is not part of the number.
    const isComplete = digits >= 9 && groupLength(groups, 0) >= 9;
    // A French social security number has 13 digits and a group of two check digits.
    const isCheckKey = digits === 13 && groupLength(groups, count) === 2;
    if (isComplete && separator === SPACE && !isCheckKey) break;
  }
  return count;
}

function toSpan(
  text: string,
  groups: DigitGroups,
  count: number,
  category: 'NATIONAL_ID' | 'TAX_ID',
): Found | undefined {
  const end = groupEnd(groups, count - 1);
  return isAlnum(text.charCodeAt(end)) ? undefined : found(groups.start[0] ?? 0, end, category);
}

export function findSpacedNationalId(text: string, start: number): Found | undefined {
  const finnish = text.slice(start, start + 11);
  if (isFinnishHenkilotunnus(finnish) && !isAlnum(text.charCodeAt(start + 11))) {
    return found(start, start + 11, 'NATIONAL_ID');
  }
  if (start < 0 || isAlnum(text.charCodeAt(start - 1))) return undefined;
  const british = BRITISH_NINO.exec(text.slice(start, start + 15))?.[0];
  if (british === undefined || isAlnum(text.charCodeAt(start + british.length))) return undefined;
  const compact = british.replace(/[ -]/g, '');
  const end = start + british.length;
  return isBritishNino(compact) ? found(start, end, 'NATIONAL_ID') : undefined;
}

const LENGTH = 11;
const MIN_DIGITS = 5;

/**
 * Finds a social security number in which OCR misread digits as letters, after its cue:
 * `73O-S9-8088`.
 */
export function findMisreadSsn(text: string, start: number): Found | undefined {
  let digits = 0;
  for (let i = 0; i < LENGTH; i++) {
    const c = text.charCodeAt(start + i);
    if (i === 3 || i === 6) {
      if (c !== 0x2d) return undefined;
    } else if (isDigit(c)) digits++;
    else if (!isLikeDigit(c)) return undefined;
  }
  const end = start + LENGTH;
  if (digits < MIN_DIGITS || digits === 9 || isAlnum(text.charCodeAt(end))) return undefined;
  return findCue(text, start) === 'national' ? found(start, end, 'NATIONAL_ID') : undefined;
}

function isLikeDigit(c: number): boolean {
  return 'OoQDIliZzSsGbBgq'.includes(String.fromCharCode(c));
}

import { charTest, isAlnum, isDigit, isWordChar } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import {
  digitsOf,
  type DigitGroups,
  groupEnd,
  groupLength,
  hasShape,
  gapEnd,
  isGroupMark,
} from './digit-groups.ts';
import { findCue } from './find-cue.ts';
import { isLuhn } from './check-digit.ts';
import { skipTo, type Found, found } from './scan.ts';

/**
 * Group lengths of card numbers. 16 digits are tried first, so that a security code after them is
 * not taken for part of the number.
 */
const SHAPES: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4, 1],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 3],
  [4, 4, 4, 1],
];
const SHAPES_ACROSS_LINES: readonly (readonly number[])[] = [
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
];
const isJoinMark = charTest('-/._');
const SHORT_SHAPE = [4, 4, 4];

/**
 * Finds a payment card by its Luhn check digit, length and issuer, or by its length alone after a
 * cue.
 */
export function findCard(text: string, groups: DigitGroups, cue?: Cue): Found | undefined {
  const first = groupLength(groups, 0);
  const start = groups.start[0] ?? 0;
  if (first >= 12 && first <= 19) {
    const end = groupEnd(groups, 0);
    if (cue === 'card') return found(start, end, 'CREDIT_CARD');
    const digits = digitsOf(text, groups, 0, 1);
    if (isAllSame(digits)) return skipTo(end);
    if (cue === 'deny' || cue === 'version' || isPartOfLongerToken(text, start, end))
      return undefined;
    return hasIssuer(digits) && isLuhn(digits) ? found(start, end, 'CREDIT_CARD') : undefined;
  }
  return first === 4 && groups.count >= 3 ? findGroupedCard(text, groups, cue) : undefined;
}

function findGroupedCard(text: string, groups: DigitGroups, cue?: Cue): Found | undefined {
  const start = groups.start[0] ?? 0;
  const separator = groups.separator[0] ?? 0;
  const shapes = SHAPES.filter((shape) => hasShape(groups, shape, separator));
  for (const { length } of shapes) {
    const digits = digitsOf(text, groups, 0, length);
    const end = groupEnd(groups, length - 1);
    if (isAllSame(digits) && cue !== 'card') return skipTo(end);
    if (hasIssuer(digits) && isLuhn(digits)) return found(start, end, 'CREDIT_CARD');
  }
  if (cue !== 'card') return undefined;
  const isShort = groups.count === 3 && hasShape(groups, SHORT_SHAPE, separator);
  const count = shapes[0]?.length ?? (isShort ? 3 : 0);
  return count === 0 ? undefined : found(start, groupEnd(groups, count - 1), 'CREDIT_CARD');
}

/**
 * Finds a card number with one line break between its groups. Rejects it if other numbers are next
 * to it, because rows of four-digit numbers would match by chance.
 */
export function findCardAcrossLines(text: string, groups: DigitGroups): Found | undefined {
  const start = groups.start[0] ?? 0;
  const last = groupEnd(groups, groups.count - 1);
  const hasLineBreak = groups.count <= 3 && /^-?[ \t]*\r?\n/.test(text.slice(last, last + 12));
  if (groupLength(groups, 0) !== 4 || !hasLineBreak) return undefined;
  const charBefore = text.charCodeAt(start - 1);
  if (isAlnum(charBefore) || (isGroupMark(charBefore) && isDigit(text.charCodeAt(start - 2))))
    return undefined;
  for (const shape of SHAPES_ACROSS_LINES) {
    const card = readShape(text, start, shape);
    if (card === undefined || !hasIssuer(card.digits) || !isLuhn(card.digits)) continue;
    const cue = findCue(text, start);
    return cue === 'deny' || cue === 'version' ? undefined : found(start, card.end, 'CREDIT_CARD');
  }
  return undefined;
}

function readShape(
  text: string,
  start: number,
  shape: readonly number[],
): { digits: string; end: number } | undefined {
  let digits = '';
  let end = start;
  let lines = 0;
  for (const [index, length] of shape.entries()) {
    const from = index === 0 ? start : gapEnd(text, end);
    if (index > 0 && from === end) return undefined;
    if (text.slice(end, from).includes('\n')) lines++;
    end = from;
    while (end < from + length && isDigit(text.charCodeAt(end))) end++;
    if (end < from + length) return undefined;
    digits += text.slice(from, end);
  }
  const isContinued = isAlnum(text.charCodeAt(end)) || isDigit(text.charCodeAt(gapEnd(text, end)));
  return lines === 1 && !isContinued ? { digits, end } : undefined;
}

function hasIssuer(digits: string): boolean {
  const { length } = digits;
  const firstTwo = Number(digits.slice(0, 2));
  const firstFour = Number(digits.slice(0, 4));
  if (digits.startsWith('4')) {
    // 13 digits that start with 4 may also be a German article number (EAN-13).
    return length === 16 || length === 19 || (length === 13 && !isEan13(digits));
  }
  if (firstFour >= 2200 && firstFour <= 2204) return length >= 16;
  if ((firstTwo >= 51 && firstTwo <= 55) || (firstFour >= 2221 && firstFour <= 2720))
    return length === 16;
  if (firstTwo === 34 || firstTwo === 37) return length === 15;
  if (
    firstTwo === 36 ||
    firstTwo === 38 ||
    firstTwo === 39 ||
    (firstFour >= 3000 && firstFour <= 3059)
  ) {
    return length === 14 || length === 16;
  }
  if (firstFour >= 3528 && firstFour <= 3589) return length >= 16;
  if (firstFour === 2131 || firstFour === 1800) return length === 15;
  if (firstFour === 9792) return length === 16;
  if (firstFour === 6011 || firstTwo === 65 || (firstFour >= 6440 && firstFour <= 6499))
    return length >= 16;
  if (firstTwo === 62 || firstTwo === 81) return length >= 16;
  return (firstTwo === 50 || (firstTwo >= 56 && firstTwo <= 69)) && length >= 16;
}

function isEan13(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < 13; i++) sum += (digits.charCodeAt(i) - 0x30) * (i % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

function isPartOfLongerToken(text: string, start: number, end: number): boolean {
  const charAfter = text.charCodeAt(end);
  if (isJoinMark(text.charCodeAt(start - 1)) || isWordChar(charAfter)) return true;
  return charAfter === 0x2d && isAlnum(text.charCodeAt(end + 1));
}

function isAllSame(digits: string): boolean {
  for (let i = 1; i < digits.length; i++) if (digits[i] !== digits[0]) return false;
  return true;
}

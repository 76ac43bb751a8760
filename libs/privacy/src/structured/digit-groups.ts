import { isDigit, isUnicodeSpace, isZeroWidth } from './char-class.ts';

/** Groups of digits with separators, such as `(22) 154-300`, as offsets in the text. */
export type DigitGroups = {
  count: number;
  readonly start: number[];
  readonly end: number[];
  /**
   * ASCII code of the separator after each group, 0 if none follows. A space also stands for a
   * separator of several characters.
   */
  readonly separator: number[];
};

const MAX_GROUPS = 12;
const NO_DIGIT = /[^0-9]/;
const MAX_DIGITS = 30;
const MAX_SEPARATOR = 3;

/**
 * Creates groups that each call of `readDigitGroups` overwrites. For so few entries, plain arrays
 * are faster than typed arrays.
 */
export function createDigitGroups(): DigitGroups {
  return {
    count: 0,
    start: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    end: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    separator: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  };
}

/**
 * Reads at most 12 groups on one line into `groups`, with at most 30 digits together. Reads 31
 * digits of a first group that is longer.
 */
export function readDigitGroups(text: string, offset: number, groups: DigitGroups): void {
  let i = offset;
  let digits = 0;
  groups.count = 0;
  while (groups.count < MAX_GROUPS) {
    const start = i;
    const stop = Math.min(text.length, i + MAX_DIGITS + 1);
    while (i < stop && isDigitAt(text, i)) i++;
    digits += i - start;
    if (digits > MAX_DIGITS && groups.count > 0) return;
    const next = groups.count++;
    groups.start[next] = start;
    groups.end[next] = i;
    groups.separator[next] = 0;
    if (digits > MAX_DIGITS) return;
    if (i === text.length) return;
    const nextStart = separatorEnd(text, i);
    if (nextStart === i) return;
    groups.separator[next] = nextStart - i === 1 ? asciiSeparator(text.charCodeAt(i)) : 0x20;
    if (groups.count === MAX_GROUPS) return;
    i = nextStart;
  }
}

export function digitsOf(text: string, groups: DigitGroups, from: number, to: number): string {
  let digits = '';
  for (let i = from; i < to; i++) digits += text.slice(groups.start[i], groups.end[i]);
  return NO_DIGIT.test(digits) ? digits.replace(/[^0-9]/g, '') : digits;
}

export function numberOf(text: string, groups: DigitGroups, index: number): number {
  const end = groupEnd(groups, index);
  let value = 0;
  for (let i = groups.start[index] ?? 0; i < end; i++) {
    const c = text.charCodeAt(i);
    if (!isDigit(c)) return Number.NaN;
    value = value * 10 + c - 0x30;
  }
  return value;
}

export function groupLength(groups: DigitGroups, index: number): number {
  return index < groups.count ? (groups.end[index] ?? 0) - (groups.start[index] ?? 0) : 0;
}

export function groupEnd(groups: DigitGroups, index: number): number {
  return groups.end[index] ?? 0;
}

export function hasShape(
  groups: DigitGroups,
  lengths: readonly number[],
  separator: number,
): boolean {
  if (groups.count < lengths.length) return false;
  for (let i = 0; i < lengths.length; i++) {
    if (groupLength(groups, i) !== lengths[i]) return false;
    if (i > 0 && groups.separator[i - 1] !== separator) return false;
  }
  return true;
}

function isDigitAt(text: string, i: number): boolean {
  const c = text.charCodeAt(i);
  return c < 128 ? isDigit(c) : isZeroWidth(c) && isDigit(text.charCodeAt(i + 1));
}

function separatorEnd(text: string, offset: number): number {
  let i = offset;
  const stop = Math.min(text.length, offset + MAX_SEPARATOR);
  while (i < stop && asciiSeparator(text.charCodeAt(i)) !== 0) i++;
  if (i === offset || i === text.length || !isDigit(text.charCodeAt(i))) return offset;
  if (i - offset === 1) return i;
  // Several spaces or dashes separate the numbers of a list or a range ("5 -- 6"), but ") ", " ("
  // and " - " occur within phone numbers.
  const separator = text.slice(offset, i);
  return separator === ' - ' || separator === ' – ' || /[()]/.test(separator) ? i : offset;
}

function asciiSeparator(c: number): number {
  if (c < 128) {
    return c === 0x20 || c === 0x28 || c === 0x29 || (c >= 0x2d && c <= 0x2f) ? c : 0;
  }
  if (isUnicodeSpace(c)) return 0x20;
  return c === 0x2010 || c === 0x2011 || c === 0x2013 ? 0x2d : 0;
}

/** Matches a line break with an optional dash before it and spaces or mail quote marks after it. */
const LINE_GAP = /-?[ \t]{0,8}\r?\n[ \t>]{0,8}/y;

export function gapEnd(text: string, offset: number): number {
  LINE_GAP.lastIndex = offset;
  if (LINE_GAP.test(text)) return LINE_GAP.lastIndex;
  return isGroupMark(text.charCodeAt(offset)) ? offset + 1 : offset;
}

export function isGroupMark(c: number): boolean {
  if (c < 128) return c === 0x20 || c === 0x2d || c === 0x2e;
  return isUnicodeSpace(c) || c === 0x2011;
}

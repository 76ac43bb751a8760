import type { Category } from '../span.ts';
import { isAlnum, isAsciiLetter, isDigit } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { type Found, found } from './scan.ts';

const MAX_LENGTH = 36;
const SPACED_LETTERS = /[:="|,;>] ?([A-Z]{1,2}) $/;
const NEXT_PART = /^ (?=[A-Z]*\d)[A-Z\d]{2,6}(?!\w)/;

const CUE_RULES: Readonly<
  Partial<Record<Cue, { category: Category; min: number; max: number; digits: number }>>
> = {
  passport: { category: 'PASSPORT', min: 6, max: 14, digits: 4 },
  license: { category: 'DRIVER_LICENSE', min: 5, max: 22, digits: 4 },
  account: { category: 'BANK_ACCOUNT', min: 6, max: 28, digits: 5 },
  iban: { category: 'IBAN', min: 14, max: 34, digits: 10 },
  national: { category: 'NATIONAL_ID', min: 7, max: 20, digits: 5 },
  tax: { category: 'TAX_ID', min: 7, max: 20, digits: 6 },
};

/**
 * Finds a number without a distinctive form by its cue, for example a passport, account or tax
 * number.
 */
export function findCuedToken(text: string, from: number, cue?: Cue): Found | undefined {
  const rule = cue === undefined ? undefined : CUE_RULES[cue];
  if (rule === undefined) return undefined;
  const start = findNumberStart(text, from);
  let digits = 0;
  let symbols = 0;
  let end = start;
  while (end < start + MAX_LENGTH + 1) {
    const c = text.charCodeAt(end);
    const mayJoin = (c === 0x2d || c === 0x2e || c === 0x2f || c === 0x20) && end > start;
    if (isDigit(c)) digits++;
    else if (!isAlnum(c) && !(mayJoin && joinsDigits(text, end, c))) break;
    if (isAlnum(c)) symbols++;
    end++;
  }
  const isValid = symbols >= rule.min && symbols <= rule.max && digits >= rule.digits;
  return isValid ? found(start, end, rule.category) : undefined;
}

/**
 * Returns the start of the number including a prefix of letters: up to four letters and a dash, as
 * in `CA-D1234567`, or one or two capitals and a space after a delimiter, as in `: C 01X00T478`.
 */
function findNumberStart(text: string, from: number): number {
  if (text.charCodeAt(from - 1) === 0x20) {
    const letters = SPACED_LETTERS.exec(text.slice(Math.max(0, from - 5), from))?.[1];
    return letters === undefined ? from : from - letters.length - 1;
  }
  if (text.charCodeAt(from - 1) !== 0x2d) return from;
  let i = from - 1;
  while (i > from - 6 && isAsciiLetter(text.charCodeAt(i - 1))) i--;
  return i < from - 1 && i > from - 6 && !isAlnum(text.charCodeAt(i - 1)) ? i : from;
}

/**
 * Returns true if at most six digits precede `offset`. A space after a longer run of digits starts
 * another number.
 */
function isShortRun(text: string, offset: number): boolean {
  let i = offset;
  while (i > offset - 7 && isDigit(text.charCodeAt(i - 1))) i--;
  return i > offset - 7;
}

function isSpacedLetter(text: string, offset: number): boolean {
  return (
    SPACED_LETTERS.test(text.slice(Math.max(0, offset - 4), offset + 1)) &&
    isDigit(text.charCodeAt(offset + 1))
  );
}

/**
 * Returns true if the separator at `offset` joins two parts of one number: dashes join letters and
 * digits, dots and slashes join digits, spaces join short groups.
 */
function joinsDigits(text: string, offset: number, c: number): boolean {
  const charAfter = text.charCodeAt(offset + 1);
  const charBefore = text.charCodeAt(offset - 1);
  if (c === 0x2d) return isAlnum(charAfter);
  if (c !== 0x20) return isDigit(charAfter) && isDigit(charBefore);
  if (isSpacedLetter(text, offset)) return true;
  const isAfterShortRun = isShortRun(text, offset);
  const isMixed =
    isAsciiLetter(charBefore) ||
    isAsciiLetter(charAfter) ||
    isAsciiLetter(text.charCodeAt(offset + 2));
  if (isAfterShortRun && isMixed && isAlnum(text.charCodeAt(offset - 2)))
    return NEXT_PART.test(text.slice(offset, offset + 8));
  return (
    isAfterShortRun &&
    isDigit(charAfter) &&
    isDigit(charBefore) &&
    isDigit(text.charCodeAt(offset + 2))
  );
}

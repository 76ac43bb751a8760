import { isAadhaar } from '../national-id/india.ts';
import { isBrazilianId } from '../national-id/brazil.ts';
import { isFinnishId } from '../national-id/finland.ts';
import { isFrenchId } from '../national-id/france.ts';
import { isNationalDigits } from '../national-id/national-id.ts';
import { isSwedishId } from '../national-id/sweden.ts';
import { isNationalInsuranceNumber } from '../national-id/united-kingdom.ts';
import { isAlnum } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { digitsOf, type DigitGroups, groupEnd, groupLength, hasShape } from './digit-groups.ts';
import { type Found, found } from './scan.ts';

const SPACE = 0x20;
const DASH = 0x2d;
const DOT = 0x2e;
const MAX_DIGITS = 16;

/**
 * A national number in digits: by its written form and check digit, or after a word that names it.
 */
export function findNationalNumber(
  text: string,
  groups: DigitGroups,
  cue?: Cue,
): Found | undefined {
  const count = distinctiveGroups(text, groups);
  const start = groups.start[0] ?? 0;
  if (count > 0 && !isGlued(text, start)) return finish(text, groups, count, 'NATIONAL_ID');
  if (cue !== 'national' && cue !== 'identity' && cue !== 'tax') return undefined;
  const cued = cuedGroups(groups);
  const digits = digitsOf(text, groups, 0, cued);
  if (digits.length < 7) return undefined;
  if (cue === 'identity' && !isNationalDigits(digits)) return undefined;
  return finish(text, groups, cued, cue === 'tax' ? 'TAX_ID' : 'NATIONAL_ID');
}

/** How many groups have a form that hardly anything else has. */
function distinctiveGroups(text: string, groups: DigitGroups): number {
  if (hasShape(groups, [3, 2, 4], DASH)) return isEnd(groups, 3, DASH) ? 3 : 0;
  const digits = (count: number): string => digitsOf(text, groups, 0, count);
  if (hasShape(groups, [3, 3, 3], DOT) && groupLength(groups, 3) === 2) {
    return groups.separator[2] === DASH && isBrazilianId(digits(4)) ? 4 : 0;
  }
  const four = hasShape(groups, [4, 4, 4], SPACE) && isEnd(groups, 3, SPACE);
  if (four) return isAadhaar(digits(3)) ? 3 : 0;
  if (hasShape(groups, [6, 4], DASH) || hasShape(groups, [8, 4], DASH)) {
    return isEnd(groups, 2, DASH) && isSwedishId(digits(2)) ? 2 : 0;
  }
  if (hasShape(groups, [1, 2, 2, 2, 3, 3, 2], SPACE)) return isFrenchId(digits(7)) ? 7 : 0;
  return groupLength(groups, 0) === 15 && isFrenchId(digits(1)) ? 1 : 0;
}

function isEnd(groups: DigitGroups, count: number, separator: number): boolean {
  return groups.count === count || groups.separator[count - 1] !== separator;
}

function isGlued(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  return before === DASH || before === DOT || before === 0x2f || before === 0x23;
}

function cuedGroups(groups: DigitGroups): number {
  let digits = 0;
  let count = 0;
  while (count < groups.count && digits + groupLength(groups, count) <= MAX_DIGITS) {
    digits += groupLength(groups, count);
    count++;
    const separator = groups.separator[count - 1];
    // "123456789 2024": what follows a full number after a space is another number.
    if (digits >= 9 && separator === SPACE && groupLength(groups, 0) >= 9) break;
  }
  return count;
}

function finish(
  text: string,
  groups: DigitGroups,
  count: number,
  category: 'NATIONAL_ID' | 'TAX_ID',
): Found | undefined {
  const end = groupEnd(groups, count - 1);
  return isAlnum(text.charCodeAt(end)) ? undefined : found(groups.start[0] ?? 0, end, category);
}

/** A number with letters and separators that begins at `start`: `131052-308T`, `AB 12 34 56 C`. */
export function findSpacedNationalId(text: string, start: number): Found | undefined {
  const finnish = text.slice(start, start + 11);
  if (isFinnishId(finnish) && !isAlnum(text.charCodeAt(start + 11))) {
    return found(start, start + 11, 'NATIONAL_ID');
  }
  if (start < 0 || isAlnum(text.charCodeAt(start - 1))) return undefined;
  const british = text.slice(start, start + 13);
  if (!/^[A-Z]{2} \d{2} \d{2} \d{2} [A-D]$/.test(british)) return undefined;
  if (isAlnum(text.charCodeAt(start + 13))) return undefined;
  const compact = british.replaceAll(' ', '');
  return isNationalInsuranceNumber(compact) ? found(start, start + 13, 'NATIONAL_ID') : undefined;
}

import { isAlnum } from './char-class.ts';
import type { Cue } from './cue-words.ts';
import { digitsOf, type DigitGroups, groupEnd, groupLength, hasShape } from './digit-groups.ts';
import { isLuhn } from './luhn.ts';
import { clean, type Found, found } from './scan.ts';

const SHAPES: readonly (readonly number[])[] = [
  [4, 4, 4, 4, 3],
  [4, 4, 4, 4],
  [4, 6, 5],
  [4, 6, 4],
  [4, 4, 4, 3],
];

/** A payment card: by Luhn, length and issuer without a cue; after "card" of any such length. */
export function findCard(text: string, groups: DigitGroups, cue?: Cue): Found | undefined {
  const start = groups.start[0] ?? 0;
  const count = cardGroups(groups);
  if (count === 0) return undefined;
  const digits = digitsOf(text, groups, 0, count);
  const end = groupEnd(groups, count - 1);
  if (cue === 'card') return digits.length >= 12 ? found(start, end, 'CREDIT_CARD') : undefined;
  if (isAllSame(digits)) return clean(end);
  if (count === 1 && (cue === 'deny' || cue === 'version' || isGlued(text, start, end)))
    return undefined;
  if (!hasIssuer(digits) || !isLuhn(digits)) return undefined;
  return found(start, end, 'CREDIT_CARD');
}

function cardGroups(groups: DigitGroups): number {
  const first = groupLength(groups, 0);
  if (first >= 12 && first <= 19) return 1;
  if (first !== 4 || groups.count < 3) return 0;
  const separator = groups.separator[0] ?? 0;
  for (const shape of SHAPES) if (hasShape(groups, shape, separator)) return shape.length;
  return 0;
}

/** Issuer identification ranges of the schemes that are in use, with their lengths. */
function hasIssuer(digits: string): boolean {
  const { length } = digits;
  const two = Number(digits.slice(0, 2));
  const four = Number(digits.slice(0, 4));
  if (digits.startsWith('4')) return length === 16 || length === 19;
  if ((two >= 51 && two <= 55) || (four >= 2221 && four <= 2720)) return length === 16;
  if (two === 34 || two === 37) return length === 15;
  if (two === 36 || two === 38 || two === 39 || (four >= 3000 && four <= 3059)) {
    return length === 14 || length === 16;
  }
  if (four >= 3528 && four <= 3589) return length >= 16;
  if (four === 2131 || four === 1800) return length === 15;
  if (four === 6011 || two === 65 || (four >= 6440 && four <= 6499)) return length >= 16;
  if (two === 62 || two === 81) return length >= 16;
  return (two === 50 || (two >= 56 && two <= 69)) && length >= 16;
}

/** Part of a longer name: digits right behind or before a dash, a slash, a dot or an underscore. */
function isGlued(text: string, start: number, end: number): boolean {
  const before = text.charCodeAt(start - 1);
  const after = text.charCodeAt(end);
  if (before === 0x2d || before === 0x2f || before === 0x2e || before === 0x5f) return true;
  return isAlnum(after) || after === 0x5f || (after === 0x2d && isAlnum(text.charCodeAt(end + 1)));
}

function isAllSame(digits: string): boolean {
  for (let i = 1; i < digits.length; i++) if (digits[i] !== digits[0]) return false;
  return true;
}

/** Bits of a character's class. */
export const WORD = 1;
export const DIGIT = 2;
export const LOWER = 4;
export const UPPER = 8;

/** The class of every ASCII character. Characters above ASCII have none. */
export const CLASS: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  for (let c = 0x30; c <= 0x39; c++) table[c] = WORD | DIGIT;
  for (let c = 0x41; c <= 0x5a; c++) table[c] = WORD | UPPER;
  for (let c = 0x61; c <= 0x7a; c++) table[c] = WORD | LOWER;
  table[0x5f] = WORD;
  return table;
}

/** Whether a char code is an ASCII digit. */
export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

/** Whether a char code is an ASCII letter. */
export function isAsciiLetter(c: number): boolean {
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether a char code is an ASCII letter or digit. */
export function isAlnum(c: number): boolean {
  return isDigit(c) || isAsciiLetter(c);
}

/** Whether a char code is an ASCII letter, a digit or an underscore. */
export function isWordCode(c: number): boolean {
  return c < 128 && ((CLASS[c] ?? 0) & WORD) !== 0;
}

/** Whether a char code is a hexadecimal digit. */
export function isHex(c: number): boolean {
  const lower = c | 0x20;
  return isDigit(c) || (lower >= 0x61 && lower <= 0x66);
}

/**
 * Whether a char code draws nothing: zero-width space and joiners, word joiner, BOM, soft hyphen.
 */
export function isZeroWidth(c: number): boolean {
  return (c >= 0x200b && c <= 0x200d) || c === 0x2060 || c === 0xfeff || c === 0xad;
}

/** Whether a char code above ASCII is a space: one that does not break, or has another width. */
export function isSpaceMark(c: number): boolean {
  return c === 0xa0 || (c >= 0x2000 && c <= 0x200a) || c === 0x202f || c === 0x205f || c === 0x3000;
}

/**
 * A cheap guess whether a char code above ASCII is part of a word: all but spaces and punctuation.
 */
export function isForeignLetter(c: number): boolean {
  if (c < 0xc0) return c === 0xaa || c === 0xb5 || c === 0xba;
  if (c >= 0x2000 && c < 0x2c00) return false;
  if (c >= 0x3000 && c < 0x3041) return c === 0x3005 || c === 0x3007;
  if (c >= 0xfe00 && c <= 0xffff) return c >= 0xff66 && c <= 0xffdc;
  return c !== 0xd7 && c !== 0xf7 && c !== 0x60c && c !== 0x61f && c !== 0x964;
}

/**
 * Whether a char code stands for a word or syllable in a script that writes no spaces, or Hangul.
 */
export function isUnspacedScript(c: number): boolean {
  return (
    (c >= 0x2e80 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xac00 && c <= 0xd7a3)
  );
}

/** The lower case of a letter in Latin, Greek or Cyrillic; any other char code as it is. */
export function lowerCode(c: number): number {
  if (c < 0xc0) return c >= 0x41 && c <= 0x5a ? c + 32 : c;
  if (c <= 0xde && c !== 0xd7) return c + 32;
  if ((c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f)) return c + 32;
  return c;
}

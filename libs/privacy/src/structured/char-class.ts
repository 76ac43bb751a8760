export const WORD = 1;
export const DIGIT = 2;
export const LOWER = 4;
export const UPPER = 8;

export const CLASS: Uint8Array = classTable();

function classTable(): Uint8Array {
  const table = new Uint8Array(128);
  for (let c = 0x30; c <= 0x39; c++) table[c] = WORD | DIGIT;
  for (let c = 0x41; c <= 0x5a; c++) table[c] = WORD | UPPER;
  for (let c = 0x61; c <= 0x7a; c++) table[c] = WORD | LOWER;
  table[0x5f] = WORD;
  return table;
}

export function isDigit(c: number): boolean {
  return c >= 0x30 && c <= 0x39;
}

export function isAsciiLetter(c: number): boolean {
  const lower = c | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

export function isAlnum(c: number): boolean {
  return isDigit(c) || isAsciiLetter(c);
}

export function isWordChar(c: number): boolean {
  return c < 128 && ((CLASS[c] ?? 0) & WORD) !== 0;
}

export function isHex(c: number): boolean {
  const lower = c | 0x20;
  return isDigit(c) || (lower >= 0x61 && lower <= 0x66);
}

/**
 * Returns a test for the char codes of `chars`, which must be ASCII. The test is false for NaN, the
 * code of a position outside of a text.
 */
export function charTest(chars: string): (c: number) => boolean {
  const table = new Uint8Array(128);
  for (const char of chars) table[char.charCodeAt(0)] = 1;
  return (c) => c < 128 && table[c] === 1;
}

/** Returns the end of the match of a sticky expression at `start`, or `start` if there is none. */
export function matchEnd(text: string, start: number, sticky: RegExp): number {
  sticky.lastIndex = start;
  return sticky.test(text) ? sticky.lastIndex : start;
}

export function isZeroWidth(c: number): boolean {
  return (c >= 0x200b && c <= 0x200d) || c === 0x2060 || c === 0xfeff || c === 0xad;
}

export function isUnicodeSpace(c: number): boolean {
  return c === 0xa0 || (c >= 0x2000 && c <= 0x200a) || c === 0x202f || c === 0x205f || c === 0x3000;
}

/**
 * Approximates whether a character above ASCII is a letter: excludes most spaces, symbols and
 * punctuation.
 */
export function isNonAsciiLetter(c: number): boolean {
  if (c < 0xc0) return c === 0xaa || c === 0xb5 || c === 0xba;
  if (c >= 0x2000 && c < 0x2c00) return false;
  if (c >= 0x3000 && c < 0x3041) return c === 0x3005 || c === 0x3007;
  if (c >= 0xfe00 && c <= 0xffff) return c >= 0xff66 && c <= 0xffdc;
  return c !== 0xd7 && c !== 0xf7 && c !== 0x60c && c !== 0x61f && c !== 0x964;
}

export function isLetter(c: number): boolean {
  return isAsciiLetter(c) || (c >= 128 && isNonAsciiLetter(c));
}

/** Returns true for Chinese, Japanese and Korean characters. */
export function isUnspacedScript(c: number): boolean {
  return (
    (c >= 0x2e80 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) || (c >= 0xac00 && c <= 0xd7a3)
  );
}

export function lowerCode(c: number): number {
  if (c < 0xc0) return c >= 0x41 && c <= 0x5a ? c + 32 : c;
  if (c <= 0xde && c !== 0xd7) return c + 32;
  if ((c >= 0x391 && c <= 0x3a9) || (c >= 0x410 && c <= 0x42f)) return c + 32;
  return c;
}

function isWide(c: number): boolean {
  return (c >= 0xff01 && c <= 0xff5e) || digitZero(c) !== 0;
}

/** Converts full-width forms and digits of other scripts to ASCII without moving offsets. */
export function foldWide(text: string): string {
  return text.replace(/[\uff01-\uff5e\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, (char) => {
    const c = char.charCodeAt(0);
    const zero = digitZero(c);
    return String.fromCharCode(zero === 0 ? c - 0xfee0 : c - zero + 0x30);
  });
}

function digitZero(c: number): number {
  if (c >= 0x660 && c <= 0x669) return 0x660;
  if (c >= 0x6f0 && c <= 0x6f9) return 0x6f0;
  return c >= 0x966 && c <= 0x96f ? 0x966 : 0;
}

/**
 * Non-zero for the char codes at which the scan stops: digits of several scripts, `@ : = -`, line
 * feeds, full-width forms.
 */
export const STOPS: Uint8Array = stops();

function stops(): Uint8Array {
  const table = new Uint8Array(65_536);
  for (const char of '0123456789@:=-\n') table[char.charCodeAt(0)] = 1;
  for (let c = 0x660; c < table.length; c++) if (isWide(c)) table[c] = 1;
  return table;
}

const SPACE = 0;
export const NEWLINE = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
const UNCASED = 5;
const PUNCTUATION = 6;
/**
 * Zero-width, bidirectional and combining marks. They are part of a word but do not change its
 * hash.
 */
export const INVISIBLE = 7;
/** Half of a surrogate pair. A pair must not be split. */
export const SURROGATE = 8;

/**
 * Table of three packed properties for each code unit, so that the tokenizer needs one lookup: the
 * kind in the lowest bits, a flag if the unit ends a word, and the folded letter (lower case, no
 * accents).
 */
export type CharTable = Int32Array;

/**
 * Bit layout of a table entry: mask of the kind, flag of a unit that ends a word, shift of the
 * folded letter.
 */
export const KIND_MASK = 15;
export const ENDS_WORD = 16;
export const FOLD_SHIFT = 5;

const UNITS = 65_536;

export const createCharTable = (): CharTable =>
  Int32Array.from({ length: UNITS }, (_, code) => {
    const kind = kindOf(code);
    const fold = kind === LOWER || kind === UPPER ? foldOf(code) : code;
    const ends = kind <= NEWLINE || kind === PUNCTUATION ? ENDS_WORD : 0;
    return (fold << FOLD_SHIFT) | ends | kind;
  });

const kindOf = (code: number): number => {
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  if (code >= 0x34_00 && code < 0xd8_00) return UNCASED;
  if (code >= 0xe0_00 && code < 0xf9_00) return PUNCTUATION;
  const char = String.fromCharCode(code);
  if (code === 10 || code === 13 || code === 0x20_28 || code === 0x20_29) return NEWLINE;
  if (code >= 0x3_00 && code < 0x3_70) return INVISIBLE;
  if (/[\u00ad\p{Cf}\ufe00-\ufe0f]/u.test(char)) return INVISIBLE;
  if (/\s/.test(char) || code < 32) return SPACE;
  if (/\p{Ll}/u.test(char)) return LOWER;
  if (/\p{Lu}|\p{Lt}/u.test(char)) return UPPER;
  if (/\p{Nd}/u.test(char)) return DIGIT;
  return /\p{L}|\p{M}|\p{N}/u.test(char) ? UNCASED : PUNCTUATION;
};

const foldOf = (code: number): number =>
  String.fromCharCode(code).normalize('NFD').charAt(0).toLowerCase().charCodeAt(0);

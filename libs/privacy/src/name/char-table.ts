/** What a UTF-16 code unit is to the tokenizer. */
export const SPACE = 0;
export const NEWLINE = 1;
export const LOWER = 2;
export const UPPER = 3;
export const DIGIT = 4;
/** A letter of a script without case. */
export const UNCASED = 5;
export const PUNCTUATION = 6;
/** Zero-width and bidirectional marks: part of a word, but not of its hash. */
export const INVISIBLE = 7;
/** Halves of surrogate pairs, which must stay together. */
export const SURROGATE = 8;

/** For every code unit: its kind, and the letter it counts as (lower case, without accents). */
export type CharTable = { kind: Uint8Array; fold: Uint16Array };

const UNITS = 65_536;

/** Computes the table; a detector does it once. */
export const createCharTable = (): CharTable => {
  const kind = new Uint8Array(UNITS);
  const fold = new Uint16Array(UNITS);
  for (let code = 0; code < UNITS; code++) {
    kind[code] = kindOf(code);
    fold[code] = kind[code] === LOWER || kind[code] === UPPER ? foldOf(code) : code;
  }
  return { kind, fold };
};

const kindOf = (code: number): number => {
  if (code >= 0xd800 && code <= 0xdfff) return SURROGATE;
  if (code >= 0x34_00 && code < 0xd8_00) return UNCASED;
  if (code >= 0xe0_00 && code < 0xf9_00) return PUNCTUATION;
  const char = String.fromCharCode(code);
  if (code === 10 || code === 13 || code === 0x20_28 || code === 0x20_29) return NEWLINE;
  if (/[\u00ad\p{Cf}\ufe00-\ufe0f]/u.test(char)) return INVISIBLE;
  if (/\s/.test(char) || code < 32) return SPACE;
  if (/\p{Ll}/u.test(char)) return LOWER;
  if (/\p{Lu}|\p{Lt}/u.test(char)) return UPPER;
  if (/\p{Nd}/u.test(char)) return DIGIT;
  return /\p{L}|\p{M}|\p{N}/u.test(char) ? UNCASED : PUNCTUATION;
};

const foldOf = (code: number): number =>
  String.fromCharCode(code).normalize('NFD').charAt(0).toLowerCase().charCodeAt(0);

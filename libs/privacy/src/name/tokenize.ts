import { CATEGORIES, type Span } from '../span.ts';
import * as char from './char-table.ts';

export const FORM = {
  lower: 0,
  capital: 1,
  upper: 2,
  mixed: 3,
  digits: 4,
  alphanumeric: 5,
  uncased: 6,
  punctuation: 7,
  taken: 8,
  edge: 9,
} as const;

/** Maximum number of tokens of a text; more than any model reads. Each takes 28 bytes. */
const TOKENS_MAX = 8_000_000;

export class TextTooLongError extends Error {
  constructor() {
    super(`the text has more than ${TOKENS_MAX} words and punctuation marks`);
    this.name = 'TextTooLongError';
  }
}

export const GAP = { none: 0, space: 1, wide: 2, line: 3 } as const;

/** Tokens as parallel arrays, with `EDGE_TOKENS` padding tokens at either end. */
export type Tokens = {
  count: number;
  start: Int32Array;
  end: Int32Array;
  word: Int32Array;
  form: Uint8Array;
  /** Hash of the word's pattern of upper case, lower case and digits. */
  shape: Int32Array;
  gap: Uint8Array;
  /**
   * Hash of the key whose value the token is, from `"name": "…"`, `Patient: …` or a CSV header; 0
   * if there is none.
   */
  key: Int32Array;
};

export const EDGE_TOKENS = 2;

const HASH_SEED = 0x811c_9dc5 | 0;
const HASH_FACTOR = 0x0100_0193;

export const hashWord = (text: string, table: char.CharTable): number => {
  let hash = HASH_SEED;
  for (let offset = 0; offset < text.length; offset++) {
    const unit = table[text.charCodeAt(offset)]!;
    if ((unit & char.KIND_MASK) !== char.INVISIBLE)
      hash = Math.imul(hash ^ (unit >>> char.FOLD_SHIFT), HASH_FACTOR);
  }
  return hash ^ (hash >>> 15);
};

const takenWordHash = (category: Span['category']): number =>
  Math.imul(CATEGORIES.indexOf(category) + 77, 0x9e37_79b1);

export const createTokens = (units: number): Tokens => {
  const length = units + 2 * EDGE_TOKENS + 1;
  return {
    count: 0,
    start: new Int32Array(length),
    end: new Int32Array(length),
    word: new Int32Array(length),
    form: new Uint8Array(length).fill(FORM.edge, 0, EDGE_TOKENS),
    shape: new Int32Array(length),
    gap: new Uint8Array(length),
    key: new Int32Array(length),
  };
};

/**
 * Splits a text into words, numbers and single punctuation marks. Each span of `takenSpans`, in
 * ascending order, becomes one token. Throws TextTooLongError for more than 8,000,000 tokens.
 */
export const tokenize = (
  text: string,
  takenSpans: readonly Span[],
  table: char.CharTable,
  tokens: Tokens = createTokens(text.length),
): Tokens => {
  readTokens(text, takenSpans, table, tokens, beginTokens(), text.length);
  return tokens;
};

export type TokensRead = { next: number; count: number; offset: number; gap: number };

export const beginTokens = (): TokensRead => ({
  next: 0,
  count: EDGE_TOKENS,
  offset: 0,
  gap: GAP.line,
});

/** Does a part of `tokenize`: reads the tokens that begin before `end`, after those of `read`. */
export const readTokens = (
  text: string,
  takenSpans: readonly Span[],
  table: char.CharTable,
  tokens: Tokens,
  read: TokensRead,
  end: number,
): void => {
  let { next, count, offset, gap } = read;
  while (offset < end) {
    const span = takenSpans[next];
    if (span !== undefined && offset >= span.start) {
      next++;
      if (span.end <= offset) continue;
      tokens.form[count] = FORM.taken;
      tokens.word[count] = takenWordHash(span.category);
      tokens.shape[count] = 0;
      tokens.start[count] = offset;
      offset = span.end;
    } else {
      const kind = table[text.charCodeAt(offset)]! & char.KIND_MASK;
      if (kind <= char.NEWLINE) {
        if (kind === char.NEWLINE) gap = GAP.line;
        else if (gap !== GAP.line) gap = gap === GAP.none ? GAP.space : GAP.wide;
        offset++;
        continue;
      }
      tokens.start[count] = offset;
      offset = readToken(text, offset, span?.start ?? text.length, table, tokens, count);
    }
    tokens.end[count] = offset;
    tokens.gap[count] = gap;
    gap = GAP.none;
    count++;
  }
  if (count > TOKENS_MAX) throw new TextTooLongError();
  Object.assign(read, { next, count, offset, gap });
  tokens.count = count;
  for (let edge = count; edge < count + EDGE_TOKENS; edge++) {
    tokens.form[edge] = FORM.edge;
    tokens.word[edge] = tokens.shape[edge] = tokens.key[edge] = 0;
    tokens.gap[edge] = GAP.line;
  }
};

const readToken = (
  text: string,
  offset: number,
  limit: number,
  table: char.CharTable,
  tokens: Tokens,
  index: number,
): number => {
  const first = text.charCodeAt(offset);
  const firstUnit = table[first]!;
  if ((firstUnit & char.ENDS_WORD) !== 0) {
    const mark = Math.imul(HASH_SEED ^ (firstUnit >>> char.FOLD_SHIFT), HASH_FACTOR);
    tokens.word[index] = mark ^ (mark >>> 15);
    tokens.form[index] = FORM.punctuation;
    tokens.shape[index] = first;
    return offset + 1;
  }
  let seenKinds = 0;
  let shape = 0;
  let last = -1;
  let hash = HASH_SEED;
  let end = offset;
  for (; end < limit; end++) {
    const unit = table[text.charCodeAt(end)]!;
    if ((unit & char.ENDS_WORD) !== 0) break;
    const kind = unit & char.KIND_MASK;
    if (kind === char.INVISIBLE) continue;
    hash = Math.imul(hash ^ (unit >>> char.FOLD_SHIFT), HASH_FACTOR);
    if (kind !== last) {
      seenKinds |= 1 << kind;
      shape = (Math.imul(shape, 11) + kind) & 0xff_ffff;
      last = kind;
    }
  }
  tokens.word[index] = hash ^ (hash >>> 15);
  const form = formOf(seenKinds, (firstUnit & char.KIND_MASK) === char.UPPER, shape);
  tokens.form[index] = form;
  const length = Math.min(end - offset, 6);
  const isShort = form === FORM.digits || length === 1;
  tokens.shape[index] = form === FORM.punctuation ? first : shape * 8 + (isShort ? length : 0);
  return end;
};

const CASED = (1 << char.LOWER) | (1 << char.UPPER);

const formOf = (seenKinds: number, startsUpper: boolean, shape: number): number => {
  if (seenKinds === 1 << char.LOWER) return FORM.lower;
  if (seenKinds & (1 << char.SURROGATE)) return FORM.punctuation;
  if (seenKinds === 1 << char.DIGIT) return FORM.digits;
  if (seenKinds & (1 << char.DIGIT)) return FORM.alphanumeric;
  if ((seenKinds & CASED) === 0) return FORM.uncased;
  if ((seenKinds & (1 << char.UPPER)) === 0) return FORM.lower;
  if ((seenKinds & (1 << char.LOWER)) === 0) return FORM.upper;
  return startsUpper && shape === char.UPPER * 11 + char.LOWER ? FORM.capital : FORM.mixed;
};

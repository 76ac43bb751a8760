import { KIND_MASK, UPPER, type CharTable } from './char-table.ts';
import { EDGE_TOKENS, FORM, GAP, hashWord, type Tokens } from './tokenize.ts';

const MAX_COLUMNS = 64;
const QUOTE = 34;
const COMMA = 44;
const HYPHEN = 45;
const COLON = 58;
const SEMICOLON = 59;
const LESS_THAN = 60;
const EQUALS = 61;
const GREATER_THAN = 62;
const UNDERSCORE = 95;
const OPEN_BRACE = 123;
const BAR = 124;
const CLOSE_BRACE = 125;

const endsValue = (mark: number): boolean =>
  mark === COMMA ||
  mark === SEMICOLON ||
  mark === BAR ||
  mark === OPEN_BRACE ||
  mark === CLOSE_BRACE ||
  mark === LESS_THAN ||
  mark === GREATER_THAN;

/**
 * Writes the key of every token that is a value: the last word before `:`, `=` or `=>` on its line,
 * otherwise its column's header if the first line looks like a CSV header.
 */
export const markKeys = (text: string, tokens: Tokens, table: CharTable): void => {
  const headers = readHeaders(text, tokens, table);
  let key = 0;
  let column = 0;
  let isQuoted = false;
  let wordIndex = -1;
  for (let index = EDGE_TOKENS; index < tokens.count; index++) {
    if (tokens.gap[index] === GAP.line) {
      key = column = 0;
      isQuoted = false;
      wordIndex = -1;
    }
    tokens.key[index] = key === 0 ? (headers[column] ?? 0) : key;
    if (tokens.form[index] !== FORM.punctuation) {
      if (tokens.form[index] !== FORM.taken && tokens.form[index] !== FORM.digits)
        wordIndex = index;
      continue;
    }
    const mark = text.charCodeAt(tokens.start[index] as number);
    if (mark === QUOTE) isQuoted = !isQuoted;
    else if ((mark === COLON || mark === EQUALS) && wordIndex >= 0)
      key = hashOfLastPart(text, tokens, wordIndex, table);
    else if (endsValue(mark) && !isQuoted) {
      key = 0;
      if (headers.length > 0) column++;
    }
  }
};

const readHeaders = (text: string, tokens: Tokens, table: CharTable): number[] => {
  const headers: number[] = [];
  let wordIndex = -1;
  for (let index = EDGE_TOKENS; index < tokens.count && headers.length < MAX_COLUMNS; index++) {
    if (index > EDGE_TOKENS && tokens.gap[index] === GAP.line) {
      if (wordIndex >= 0) headers.push(hashOfLastPart(text, tokens, wordIndex, table));
      return headers.length > 2 ? headers : [];
    }
    const form = tokens.form[index] as number;
    const mark = text.charCodeAt(tokens.start[index] as number);
    if (form === FORM.taken || form === FORM.digits) return [];
    if (form !== FORM.punctuation) wordIndex = index;
    else if ((mark === COMMA || mark === SEMICOLON || mark === BAR) && wordIndex >= 0) {
      headers.push(hashOfLastPart(text, tokens, wordIndex, table));
      wordIndex = -1;
    } else if (mark !== UNDERSCORE && mark !== QUOTE && mark !== HYPHEN && mark !== BAR) return [];
  }
  return [];
};

const hashOfLastPart = (text: string, tokens: Tokens, index: number, table: CharTable): number => {
  const start = tokens.start[index] as number;
  const end = tokens.end[index] as number;
  if (tokens.form[index] !== FORM.mixed || end - start > 64) return tokens.word[index] as number;
  let from = end - 1;
  while (from > start && (table[text.charCodeAt(from)]! & KIND_MASK) !== UPPER) from--;
  return hashWord(text.slice(from, end), table);
};

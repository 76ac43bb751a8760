import type { JsonObject } from '../json/json-value.ts';
import { readLenientText, TEXT_OPENERS } from './read-lenient-text.ts';
import type { TextRead } from './read-lenient-text.ts';

export const MAX_ANSWER_DEPTH = 64;

/**
 * Result of parsing an object: the object and the position after it, or a problem and its position.
 * If the brace does not begin an object (no `}` and no key with a colon follows), `resumeOffset`
 * is the position where the search for one continues.
 */
type LenientRead =
  | { object: JsonObject; end: number }
  | { problem: string; offset: number; isTooDeep: boolean }
  | { resumeOffset: number };

/**
 * Current position in a text. If `allowsUnclosed`, brackets that are still open at the end of the
 * text count as closed.
 */
type Cursor = { readonly text: string; readonly allowsUnclosed: boolean; offset: number };

class LenientProblem extends Error {
  readonly isTooDeep: boolean;

  constructor(message: string, { isTooDeep = false } = {}) {
    super(message);
    this.isTooDeep = isTooDeep;
  }
}

/**
 * Parses the object whose opening brace is at `from`. In addition to JSON it accepts trailing
 * commas, single and smart quotes, unquoted keys, literals such as `None`, `True` and `NaN`, raw
 * newlines in strings, and comments. `__proto__` is dropped; the last of duplicate members is used.
 * Runs in linear time.
 */
export const parseLenientObject = (
  text: string,
  { from, allowsUnclosed }: { from: number; allowsUnclosed: boolean },
): LenientRead => {
  const opening: Cursor = { text, allowsUnclosed, offset: from + 1 };
  // This check comes first, because prose can contain many braces, and creating an error for each
  // would be slow.
  if (!isObjectStart(opening)) return { resumeOffset: opening.offset };
  const cursor: Cursor = { text, allowsUnclosed, offset: from };
  try {
    return { object: readObject(cursor, 1), end: cursor.offset };
  } catch (problem) {
    if (!(problem instanceof LenientProblem)) throw problem;
    return { problem: problem.message, offset: cursor.offset, isTooDeep: problem.isTooDeep };
  }
};

const isObjectStart = (cursor: Cursor): boolean => {
  skipBlank(cursor);
  return cursor.text[cursor.offset] === '}' || readKey(cursor) !== undefined;
};

const readObject = (cursor: Cursor, depth: number): JsonObject => {
  const object: JsonObject = {};
  cursor.offset += 1;
  while (!isClosed(cursor, '}')) {
    const key = readKey(cursor);
    if (key === undefined) throw new LenientProblem('a key and its colon were expected');
    const value = readValue(cursor, depth);
    if (key !== '__proto__') object[key] = value;
    expectCommaOrBracket(cursor, '}');
  }
  return object;
};

const readList = (cursor: Cursor, depth: number): unknown[] => {
  const list: unknown[] = [];
  cursor.offset += 1;
  while (!isClosed(cursor, ']')) {
    list.push(readValue(cursor, depth));
    expectCommaOrBracket(cursor, ']');
  }
  return list;
};

const isClosed = (cursor: Cursor, bracket: string): boolean => {
  skipBlank(cursor);
  if (isAtEnd(cursor) && cursor.allowsUnclosed) return true;
  if (cursor.text[cursor.offset] !== bracket) return false;
  cursor.offset += 1;
  return true;
};

const expectCommaOrBracket = (cursor: Cursor, bracket: string): void => {
  skipBlank(cursor);
  const char = cursor.text[cursor.offset];
  if (char === ',') cursor.offset += 1;
  else if (char !== bracket && !(isAtEnd(cursor) && cursor.allowsUnclosed)) {
    throw new LenientProblem(`a comma or ${bracket} was expected`);
  }
};

const isAtEnd = ({ text, offset: index }: Cursor): boolean => index >= text.length;

const BARE_KEY = /[\p{L}\p{N}_$-]+/uy;

const readKey = (cursor: Cursor): string | undefined => {
  const start = cursor.offset;
  const isQuoted = TEXT_OPENERS.has(cursor.text[start] ?? '');
  const key = isQuoted ? readQuoted(cursor) : { value: takeMatch(cursor, BARE_KEY) };
  if ('problem' in key || cursor.offset === start) return undefined;
  skipBlank(cursor);
  if (cursor.text[cursor.offset] !== ':') return undefined;
  cursor.offset += 1;
  return key.value;
};

const readQuoted = (cursor: Cursor): TextRead => {
  const read = readLenientText(cursor.text, cursor.offset);
  cursor.offset = read.offset;
  return read;
};

const readText = (cursor: Cursor): string => {
  const read = readQuoted(cursor);
  if ('problem' in read) throw new LenientProblem(read.problem);
  return read.value;
};

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /-?[\p{L}\p{N}_$]+/uy;
const LITERALS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['True', true],
  ['False', false],
  ['None', null],
  ['NaN', null],
  ['Infinity', null],
  ['-Infinity', null],
]);

const readValue = (cursor: Cursor, depth: number): unknown => {
  skipBlank(cursor);
  const char = cursor.text[cursor.offset] ?? '';
  if (TEXT_OPENERS.has(char)) return readText(cursor);
  if (char === '{' || char === '[') {
    if (depth === MAX_ANSWER_DEPTH) throw new LenientProblem('too deep', { isTooDeep: true });
    return char === '{' ? readObject(cursor, depth + 1) : readList(cursor, depth + 1);
  }
  const number = takeMatch(cursor, NUMBER);
  if (number !== '') return toFinite(Number(number));
  const start = cursor.offset;
  const literal = LITERALS.get(takeMatch(cursor, WORD));
  if (literal !== undefined) return literal;
  cursor.offset = start;
  throw new LenientProblem(char === '' ? 'it ends before a value' : 'a value was expected');
};

/**
 * Returns a number as `JSON.stringify` writes it: null for one that is not finite, and 0 for -0.
 */
export const toFinite = (number: number): number | null =>
  Number.isFinite(number) ? number + 0 : null;

const WHITESPACE = /\s+/y;

const skipBlank = (cursor: Cursor): void => {
  const { text } = cursor;
  for (;;) {
    takeMatch(cursor, WHITESPACE);
    const end = text.startsWith('/*', cursor.offset)
      ? commentEnd(text, '*/', cursor.offset + 2)
      : text[cursor.offset] === '#' || text.startsWith('//', cursor.offset)
        ? commentEnd(text, '\n', cursor.offset)
        : cursor.offset;
    if (end === cursor.offset) return;
    cursor.offset = end;
  }
};

const commentEnd = (text: string, terminator: string, from: number): number => {
  const offset = text.indexOf(terminator, from);
  return offset === -1 ? text.length : offset + terminator.length;
};

const takeMatch = (cursor: Cursor, pattern: RegExp): string => {
  pattern.lastIndex = cursor.offset;
  const found = pattern.exec(cursor.text)?.[0] ?? '';
  cursor.offset += found.length;
  return found;
};

import type { JsonObject } from '../dialect.ts';
import { readLenientText, TEXT_OPENERS } from './read-lenient-text.ts';
import type { TextRead } from './read-lenient-text.ts';

/** Brackets within brackets that an answer may have. */
export const MAX_ANSWER_DEPTH = 64;

/**
 * An object and the place behind it; or what is wrong with it where; or that no object begins
 * there, because a brace is not followed by its own end or a key and a colon, and where that
 * showed.
 */
export type LenientRead =
  | { object: JsonObject; end: number }
  | { problem: string; at: number; isTooDeep: boolean }
  | { noObjectTo: number };

/** A text that is being read. `mayClose`: brackets that are open at its end count as closed. */
type Cursor = { readonly text: string; readonly mayClose: boolean; at: number };

/** What is not JSON here; never leaves this file. */
class LenientProblem extends Error {
  readonly isTooDeep: boolean;

  constructor(message: string, { isTooDeep = false } = {}) {
    super(message);
    this.isTooDeep = isTooDeep;
  }
}

/**
 * Reads the object that begins at the brace at `from`, and nothing behind its end. Beyond JSON it
 * takes (C6 step 4): trailing commas, single and smart quotes, keys without quotes, the words of
 * Python and JavaScript, raw newlines in texts, comments. `__proto__` is dropped; of two members of
 * one name the last counts. Looks at each character a bounded number of times.
 */
export const parseLenientObject = (
  text: string,
  { from, mayClose }: { from: number; mayClose: boolean },
): LenientRead => {
  const opening: Cursor = { text, mayClose, at: from + 1 };
  // Prose can be full of braces: errors with their stacks are too dear to be thrown at each.
  if (!isOpened(opening)) return { noObjectTo: opening.at };
  const cursor: Cursor = { text, mayClose, at: from };
  try {
    return { object: readObject(cursor, 1), end: cursor.at };
  } catch (problem) {
    if (!(problem instanceof LenientProblem)) throw problem;
    return { problem: problem.message, at: cursor.at, isTooDeep: problem.isTooDeep };
  }
};

const isOpened = (cursor: Cursor): boolean => {
  skipBlank(cursor);
  return cursor.text[cursor.at] === '}' || readKey(cursor) !== undefined;
};

const readObject = (cursor: Cursor, depth: number): JsonObject => {
  const object: JsonObject = {};
  cursor.at += 1;
  while (!isClosed(cursor, '}')) {
    const key = readKey(cursor);
    if (key === undefined) throw new LenientProblem('a key and its colon were expected');
    const value = readValue(cursor, depth);
    if (key !== '__proto__') object[key] = value;
    expectCommaOr(cursor, '}');
  }
  return object;
};

const readList = (cursor: Cursor, depth: number): unknown[] => {
  const list: unknown[] = [];
  cursor.at += 1;
  while (!isClosed(cursor, ']')) {
    list.push(readValue(cursor, depth));
    expectCommaOr(cursor, ']');
  }
  return list;
};

/** Takes the closing bracket when it is next, or the end of a text that may be closed there. */
const isClosed = (cursor: Cursor, bracket: string): boolean => {
  skipBlank(cursor);
  if (isAtEnd(cursor) && cursor.mayClose) return true;
  if (cursor.text[cursor.at] !== bracket) return false;
  cursor.at += 1;
  return true;
};

/** Takes the comma between two members; what ends them is left where it is. */
const expectCommaOr = (cursor: Cursor, bracket: string): void => {
  skipBlank(cursor);
  const char = cursor.text[cursor.at];
  if (char === ',') cursor.at += 1;
  else if (char !== bracket && !(isAtEnd(cursor) && cursor.mayClose)) {
    throw new LenientProblem(`a comma or ${bracket} was expected`);
  }
};

const isAtEnd = ({ text, at }: Cursor): boolean => at >= text.length;

const BARE_KEY = /[\p{L}\p{N}_$-]+/uy;

/** Takes a key and its colon; undefined, and the cursor where it went wrong, without one. */
const readKey = (cursor: Cursor): string | undefined => {
  const start = cursor.at;
  const isQuoted = TEXT_OPENERS.has(cursor.text[start] ?? '');
  const key = isQuoted ? takeText(cursor) : { value: take(cursor, BARE_KEY) };
  if ('problem' in key || cursor.at === start) return undefined;
  skipBlank(cursor);
  if (cursor.text[cursor.at] !== ':') return undefined;
  cursor.at += 1;
  return key.value;
};

const takeText = (cursor: Cursor): TextRead => {
  const read = readLenientText(cursor.text, cursor.at);
  cursor.at = read.at;
  return read;
};

const readText = (cursor: Cursor): string => {
  const read = takeText(cursor);
  if ('problem' in read) throw new LenientProblem(read.problem);
  return read.value;
};

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /-?[\p{L}\p{N}_$]+/uy;
/** JSON has no word for what is not a number: it becomes null, as `JSON.stringify` has it. */
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
  const char = cursor.text[cursor.at] ?? '';
  if (TEXT_OPENERS.has(char)) return readText(cursor);
  if (char === '{' || char === '[') {
    if (depth === MAX_ANSWER_DEPTH) throw new LenientProblem('too deep', { isTooDeep: true });
    return char === '{' ? readObject(cursor, depth + 1) : readList(cursor, depth + 1);
  }
  const number = take(cursor, NUMBER);
  if (number !== '') return toFinite(Number(number));
  const start = cursor.at;
  const word = LITERALS.get(take(cursor, WORD));
  if (word !== undefined) return word;
  cursor.at = start;
  throw new LenientProblem(char === '' ? 'it ends before a value' : 'a value was expected');
};

/** JSON can spell what `JSON.stringify` cannot: infinity becomes null as there, and -0 is 0. */
export const toFinite = (number: number): number | null =>
  Number.isFinite(number) ? number + 0 : null;

const WHITESPACE = /\s+/y;

/** Goes past white space and comments; one that never ends takes the rest of the text. */
const skipBlank = (cursor: Cursor): void => {
  const { text } = cursor;
  for (;;) {
    take(cursor, WHITESPACE);
    const end = text.startsWith('/*', cursor.at)
      ? endOf(text, '*/', cursor.at + 2)
      : text[cursor.at] === '#' || text.startsWith('//', cursor.at)
        ? endOf(text, '\n', cursor.at)
        : cursor.at;
    if (end === cursor.at) return;
    cursor.at = end;
  }
};

const endOf = (text: string, mark: string, from: number): number => {
  const at = text.indexOf(mark, from);
  return at === -1 ? text.length : at + mark.length;
};

/** Takes what a sticky pattern finds at the cursor; empty when it finds nothing. */
const take = (cursor: Cursor, pattern: RegExp): string => {
  pattern.lastIndex = cursor.at;
  const found = pattern.exec(cursor.text)?.[0] ?? '';
  cursor.at += found.length;
  return found;
};

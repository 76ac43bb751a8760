/**
 * A member of an object: its key, and the offsets of the key's quote and of the value's start and
 * end.
 */
export type Member = { key: string; keyStart: number; start: number; end: number };
export type Element = { start: number; end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * Returns the members of the outermost object in the text's order, including duplicates. `source`
 * must be a valid JSON object; for other text the function may throw.
 */
export const readMembers = (source: string): Member[] => {
  const members: Member[] = [];
  let offset = source.indexOf('{') + 1;
  for (;;) {
    const keyStart = source.indexOf('"', offset);
    if (keyStart === -1) return members;
    const keyEnd = endOfString(source, keyStart);
    const key = JSON.parse(source.slice(keyStart, keyEnd)) as string;
    const start = skipSpace(source, source.indexOf(':', keyEnd) + 1);
    const end = endOfValue(source, start);
    members.push({ key, keyStart, start, end });
    offset = skipSpace(source, end);
    if (offset >= source.length) throw new Error('readMembers was given text that is not JSON.');
    if (source.charCodeAt(offset) !== COMMA) return members;
    offset += 1;
  }
};

/**
 * Returns the elements of the list whose bracket is at `start`. `source` must be valid JSON; for
 * other text the function may throw.
 */
export const readElements = (source: string, start: number): Element[] => {
  const elements: Element[] = [];
  let offset = skipSpace(source, start + 1);
  if (source.charCodeAt(offset) === CLOSE_LIST) return elements;
  for (;;) {
    const end = endOfValue(source, offset);
    elements.push({ start: offset, end });
    offset = skipSpace(source, end);
    if (source.charCodeAt(offset) === CLOSE_LIST) return elements;
    if (source.charCodeAt(offset) !== COMMA) {
      throw new Error('readElements was given text that is not JSON.');
    }
    offset = skipSpace(source, offset + 1);
  }
};

/**
 * Maximum nesting of JSON text that becomes part of a body; deeper text could overflow the stack.
 */
export const MAX_JSON_DEPTH = 512;

/** Returns whether JSON text is nested deeper than `depthMax`. Does not throw for other text. */
export const isTooDeep = (text: string, depthMax: number = MAX_JSON_DEPTH): boolean =>
  endOfNested(text, 0, depthMax) === undefined;

/**
 * Returns the offset after the string whose opening quote is at `start`; the length of a text that
 * ends inside the string.
 */
export const endOfString = (text: string, start: number): number => {
  for (
    let offset = text.indexOf('"', start + 1);
    offset !== -1;
    offset = text.indexOf('"', offset + 1)
  ) {
    let backslashes = 0;
    while (text.charCodeAt(offset - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return offset + 1;
  }
  return text.length;
};

const endOfValue = (source: string, start: number): number => {
  const first = source.charCodeAt(start);
  if (first === QUOTE) return endOfString(source, start);
  if (first === OPEN_OBJECT || first === OPEN_LIST) return endOfNested(source, start)!;
  let offset = start;
  while (offset < source.length && /[^\s,}\]]/.test(source[offset]!)) offset += 1;
  return offset;
};

/**
 * Returns the offset after the first object or list from `start` on, or the text's length if none
 * ends; undefined if it is nested deeper than `depthMax`.
 */
const endOfNested = (text: string, start: number, depthMax = Infinity): number | undefined => {
  let depth = 0;
  for (let offset = start; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset);
    if (code === QUOTE) offset = endOfString(text, offset) - 1;
    else if (code === OPEN_OBJECT || code === OPEN_LIST) {
      depth += 1;
      if (depth > depthMax) return undefined;
    } else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return offset + 1;
    }
  }
  return text.length;
};

const skipSpace = (source: string, start: number): number => {
  let offset = start;
  while (source.charCodeAt(offset) <= 0x20) offset += 1;
  return offset;
};

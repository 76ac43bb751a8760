/**
 * Object keys and array indexes from the root to a leaf; the path of a key ends with the key itself.
 * The array is reused, so copy it to retain it.
 */
export type JsonPath = readonly (string | number)[];

/**
 * A key, string or number. The offsets of keys and strings exclude the quotes. The object is reused
 * for the next leaf.
 */
export type JsonLeaf = {
  kind: 'key' | 'string' | 'number';
  start: number;
  end: number;
  readonly path: JsonPath;
};

const DEPTH_MAX = 1024;

export class JsonDepthError extends Error {
  constructor() {
    super(`the JSON text is nested deeper than ${DEPTH_MAX} levels`);
    this.name = 'JsonDepthError';
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Returns a function that returns the next key, string or number of a valid JSON text; undefined
 * after the last. It throws {@link JsonDepthError} if objects or arrays are nested too deeply.
 */
export function walkJson(text: string): () => JsonLeaf | undefined {
  // The last segment is that of the innermost container: a number in an array, a key in an object.
  const path: (string | number)[] = [];
  const leaf: JsonLeaf = { kind: 'string', start: 0, end: 0, path };
  let offset = 0;
  let expectsKey = false;

  function takeString(): JsonLeaf {
    leaf.kind = expectsKey ? 'key' : 'string';
    leaf.start = offset + 1;
    leaf.end = endOfString(text, leaf.start);
    offset = leaf.end + 1;
    if (expectsKey) path[path.length - 1] = decodeString(text, leaf.start, leaf.end);
    expectsKey = false;
    return leaf;
  }

  function takeNumber(): JsonLeaf {
    leaf.kind = 'number';
    leaf.start = offset;
    while (isInNumber(text.charCodeAt(offset))) offset += 1;
    leaf.end = offset;
    return leaf;
  }

  function takeStructure(unit: number): void {
    offset += 1;
    if (unit === OPEN_OBJECT || unit === OPEN_LIST) {
      if (path.length === DEPTH_MAX) throw new JsonDepthError();
      expectsKey = unit === OPEN_OBJECT;
      path.push(expectsKey ? '' : 0);
    } else if (unit === CLOSE_OBJECT || unit === CLOSE_LIST) {
      expectsKey = false;
      path.pop();
    } else if (unit === COMMA) {
      const last = path.at(-1);
      if (typeof last === 'number') path[path.length - 1] = last + 1;
      else expectsKey = last !== undefined;
    }
  }

  return () => {
    while (offset < text.length) {
      const unit = text.charCodeAt(offset);
      if (unit === QUOTE) return takeString();
      if (isNumberStart(unit)) return takeNumber();
      takeStructure(unit);
    }
    return undefined;
  };
}

export function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end >= 0 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, start: number, quote: number): boolean {
  let offset = quote;
  while (offset > start && text.charCodeAt(offset - 1) === BACKSLASH) offset -= 1;
  return (quote - offset) % 2 === 1;
}

function isNumberStart(unit: number): boolean {
  return unit === 0x2d || (unit >= 0x30 && unit <= 0x39);
}

/** Returns whether a code unit is a digit, `-`, `+`, `.`, `e` or `E`. */
function isInNumber(unit: number): boolean {
  return isNumberStart(unit) || unit === 0x2b || unit === 0x2e || (unit | 0x20) === 0x65;
}

export type StringLeaf = {
  path: JsonPath;
  isKey: boolean;
  json: string;
  value: string;
};

/**
 * Replaces strings and keys of a valid JSON text and leaves every other byte unchanged. `edit`
 * returns JSON, or undefined to leave a string unchanged. Throws {@link JsonDepthError} if objects
 * or arrays are nested too deeply.
 */
export function editJsonStrings(
  text: string,
  edit: (leaf: StringLeaf) => string | undefined,
): string {
  let editedText = '';
  let copied = 0;
  const next = walkJson(text);
  for (let leaf = next(); leaf !== undefined; leaf = next()) {
    const { kind, start, end, path } = leaf;
    if (kind === 'number') continue;
    const json = text.slice(start - 1, end + 1);
    const value = decodeString(text, start, end);
    const replacement = edit({ path, isKey: kind === 'key', json, value });
    if (replacement === undefined || replacement === json) continue;
    editedText += text.slice(copied, start - 1) + replacement;
    copied = end + 1;
  }
  return copied === 0 ? text : editedText + text.slice(copied);
}

/** Returns `text` escaped for use inside a JSON string, without the enclosing quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

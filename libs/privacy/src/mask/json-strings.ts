/**
 * Object keys and array indexes from the root to a leaf; that of a key ends with the key itself.
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

/**
 * A string or key of a JSON text, which is read only when it is asked for. The object is reused for
 * the next one.
 */
export type StringLeaf = {
  readonly path: JsonPath;
  readonly isKey: boolean;
  /** Offset in the text of the first character after the quote. */
  readonly start: number;
  readonly json: string;
  readonly value: string;
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
  let leaf = next();
  const string: StringLeaf = {
    path: leaf?.path ?? [],
    get isKey() {
      return leaf!.kind === 'key';
    },
    get start() {
      return leaf!.start;
    },
    get json() {
      return text.slice(leaf!.start - 1, leaf!.end + 1);
    },
    get value() {
      return decodeString(text, leaf!.start, leaf!.end);
    },
  };
  for (; leaf !== undefined; leaf = next()) {
    if (leaf.kind === 'number') continue;
    const replacement = edit(string);
    if (replacement === undefined || replacement === string.json) continue;
    editedText += text.slice(copied, leaf.start - 1) + replacement;
    copied = leaf.end + 1;
  }
  return copied === 0 ? text : editedText + text.slice(copied);
}

/** Returns `text` escaped for use inside a JSON string, without the enclosing quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

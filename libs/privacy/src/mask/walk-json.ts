/**
 * Object keys and array indexes from the root to a leaf. The array is reused, so copy it to retain
 * it.
 */
export type JsonPath = readonly (string | number)[];

/** A key, string or number. The offsets of keys and strings exclude the quotes. */
export type JsonLeaf = {
  kind: 'key' | 'string' | 'number';
  start: number;
  end: number;
  path: JsonPath;
};

const DEPTH_MAX = 1024;

export class JsonDepthError extends Error {
  constructor() {
    super(`the JSON text is nested deeper than ${DEPTH_MAX} levels`);
    this.name = 'JsonDepthError';
  }
}

type Container = { isObject: boolean; expectsKey: boolean };

/** Yields every key, string and number of a valid JSON text, in order. */
export function* walkJson(text: string): Generator<JsonLeaf, void, void> {
  const openContainers: Container[] = [];
  const path: (string | number)[] = [];
  for (let offset = 0; offset < text.length;) {
    const inner = openContainers.at(-1);
    const char = text.charAt(offset);
    if (char === '"') {
      const end = endOfString(text, offset + 1);
      const kind = inner?.expectsKey === true ? 'key' : 'string';
      if (kind === 'key') enterKey(inner as Container, path, decodeString(text, offset + 1, end));
      yield { kind, start: offset + 1, end, path };
      offset = end + 1;
    } else if (isNumberStart(char)) {
      const end = endOfNumber(text, offset);
      yield { kind: 'number', start: offset, end, path };
      offset = end;
    } else {
      onStructure(char, openContainers, path);
      offset += 1;
    }
  }
}

export function decodeString(text: string, start: number, end: number): string {
  const raw = text.slice(start, end);
  return raw.includes('\\') ? (JSON.parse(`"${raw}"`) as string) : raw;
}

function enterKey(container: Container, path: (string | number)[], key: string): void {
  container.expectsKey = false;
  path[path.length - 1] = key;
}

function onStructure(char: string, openContainers: Container[], path: (string | number)[]): void {
  const inner = openContainers.at(-1);
  if (char === '{' || char === '[') {
    if (openContainers.length === DEPTH_MAX) throw new JsonDepthError();
    const isObject = char === '{';
    openContainers.push({ isObject, expectsKey: isObject });
    path.push(isObject ? '' : 0);
  } else if (char === '}' || char === ']') {
    openContainers.pop();
    path.pop();
  } else if (char === ',' && inner !== undefined) {
    if (inner.isObject) inner.expectsKey = true;
    else path[path.length - 1] = (path.at(-1) as number) + 1;
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (end >= 0 && isEscaped(text, start, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

function isEscaped(text: string, start: number, quote: number): boolean {
  let offset = quote;
  while (offset > start && text.charAt(offset - 1) === '\\') offset -= 1;
  return (quote - offset) % 2 === 1;
}

function isNumberStart(char: string): boolean {
  return char === '-' || (char >= '0' && char <= '9');
}

function endOfNumber(text: string, start: number): number {
  const number = /[-+.\deE]+/y;
  number.lastIndex = start;
  number.test(text);
  return number.lastIndex;
}

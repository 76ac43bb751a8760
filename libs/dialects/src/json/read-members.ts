export type Member = { key: string; keyStart: number; start: number; end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

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
    const keyEnd = skipString(source, keyStart);
    const key = JSON.parse(source.slice(keyStart, keyEnd)) as string;
    const start = skipSpace(source, source.indexOf(':', keyEnd) + 1);
    const end = skipValue(source, start);
    members.push({ key, keyStart, start, end });
    offset = skipSpace(source, end);
    if (source.charCodeAt(offset) !== COMMA) return members;
    offset += 1;
  }
};

export const skipValue = (source: string, start: number): number => {
  const first = source.charCodeAt(start);
  if (first === QUOTE) return skipString(source, start);
  const nested = source[start] === '{' || source[start] === '[';
  return nested ? skipNested(source, start) : skipScalar(source, start);
};

const skipNested = (source: string, start: number): number => {
  let depth = 0;
  for (let offset = start; ; offset += 1) {
    const char = source[offset];
    if (char === '"') offset = skipString(source, offset) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return offset + 1;
    if (offset >= source.length) throw new Error('readMembers was given text that is not JSON.');
  }
};

const skipScalar = (source: string, start: number): number => {
  let offset = start;
  while (offset < source.length && /[^\s,}\]]/.test(source[offset]!)) offset += 1;
  return offset;
};

const skipString = (source: string, start: number): number => {
  for (
    let offset = source.indexOf('"', start + 1);
    offset !== -1;
    offset = source.indexOf('"', offset + 1)
  ) {
    let backslashes = 0;
    while (source.charCodeAt(offset - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return offset + 1;
  }
  throw new Error('readMembers was given text that is not JSON.');
};

export const skipSpace = (source: string, start: number): number => {
  let offset = start;
  while (source.charCodeAt(offset) <= 0x20) offset += 1;
  return offset;
};

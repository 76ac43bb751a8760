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
  let at = source.indexOf('{') + 1;
  for (;;) {
    const keyStart = source.indexOf('"', at);
    if (keyStart === -1) return members;
    const keyEnd = skipString(source, keyStart);
    const key = JSON.parse(source.slice(keyStart, keyEnd)) as string;
    const start = skipSpace(source, source.indexOf(':', keyEnd) + 1);
    const end = skipValue(source, start);
    members.push({ key, keyStart, start, end });
    at = skipSpace(source, end);
    if (source.charCodeAt(at) !== COMMA) return members;
    at += 1;
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
  for (let at = start; ; at += 1) {
    const char = source[at];
    if (char === '"') at = skipString(source, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (depth === 0) return at + 1;
    if (at >= source.length) throw new Error('readMembers was given text that is not JSON.');
  }
};

const skipScalar = (source: string, start: number): number => {
  let at = start;
  while (at < source.length && /[^\s,}\]]/.test(source[at]!)) at += 1;
  return at;
};

const skipString = (source: string, start: number): number => {
  for (let at = source.indexOf('"', start + 1); at !== -1; at = source.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (source.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  throw new Error('readMembers was given text that is not JSON.');
};

export const skipSpace = (source: string, start: number): number => {
  let at = start;
  while (source.charCodeAt(at) <= 0x20) at += 1;
  return at;
};

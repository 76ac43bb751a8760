/** New values for members by key: JSON text, or edits of what stands inside the member. */
export type MemberEdits = { readonly [key: string]: string | MemberEdits };

type Member = { key: string; start: number; end: number };

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Replaces or adds members of a JSON object in its source text and leaves every other character as
 * it is: unknown fields, number spellings and member order survive exactly. `source` must be the
 * text of a JSON object (it has been parsed before). A key that stands twice is replaced twice,
 * because parsers differ in which one counts.
 */
export const editMembers = (source: string, edits: MemberEdits): string => {
  const missing = new Set(Object.keys(edits));
  let edited = '';
  let copied = 0;
  const members = readMembers(source);
  for (const { key, start, end } of members) {
    const value = Object.hasOwn(edits, key) ? edits[key] : undefined;
    if (value === undefined) continue;
    edited += source.slice(copied, start) + rewrite(source.slice(start, end), value);
    copied = end;
    missing.delete(key);
  }
  const close = source.lastIndexOf('}');
  edited += source.slice(copied, close);
  let separator = members.length > 0 ? ',' : '';
  for (const key of missing) {
    edited += `${separator}${JSON.stringify(key)}:${rewrite('{}', edits[key]!)}`;
    separator = ',';
  }
  return edited + source.slice(close);
};

/** A member that is no object has nothing inside to keep: its edits make a new object. */
const rewrite = (value: string, edit: string | MemberEdits): string => {
  if (typeof edit === 'string') return edit;
  return editMembers(value.startsWith('{') ? value : '{}', edit);
};

/** Where the values of the outermost object's members stand. */
const readMembers = (source: string): Member[] => {
  const members: Member[] = [];
  let at = source.indexOf('{') + 1;
  for (;;) {
    const keyStart = source.indexOf('"', at);
    if (keyStart === -1) return members;
    const keyEnd = skipString(source, keyStart);
    const key = JSON.parse(source.slice(keyStart, keyEnd)) as string;
    const start = skipSpace(source, source.indexOf(':', keyEnd) + 1);
    const end = skipValue(source, start);
    members.push({ key, start, end });
    at = skipSpace(source, end);
    if (source.charCodeAt(at) !== COMMA) return members;
    at += 1;
  }
};

const skipValue = (source: string, start: number): number => {
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
    if (at >= source.length) throw new Error('editMembers was given text that is not JSON.');
  }
};

const skipScalar = (source: string, start: number): number => {
  let at = start;
  while (at < source.length && /[^\s,}\]]/.test(source[at]!)) at += 1;
  return at;
};

/** The position behind the string that starts at `start`. */
const skipString = (source: string, start: number): number => {
  for (let at = source.indexOf('"', start + 1); at !== -1; at = source.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (source.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
  throw new Error('editMembers was given text that is not JSON.');
};

const skipSpace = (source: string, start: number): number => {
  let at = start;
  while (source.charCodeAt(at) <= 0x20) at += 1;
  return at;
};

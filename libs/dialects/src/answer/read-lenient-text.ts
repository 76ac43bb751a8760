const CLOSERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\u201c': '\u201c\u201d',
  '\u201d': '\u201c\u201d',
  '\u201e': '\u201c\u201d',
  '\u2018': '\u2018\u2019',
  '\u2019': '\u2018\u2019',
  '\u201a': '\u2018\u2019',
};

export const TEXT_OPENERS: ReadonlySet<string> = new Set(Object.keys(CLOSERS));

export type TextRead = { value: string; offset: number } | { problem: string; offset: number };

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const HEX = /^[0-9a-fA-F]{4}$/;

/**
 * Parses the string whose opening quote is at `from`. Raw control characters are accepted. A string
 * in double quotes ends as in JSON. Single and smart quotes also occur as apostrophes, so a string
 * in those ends only before a JSON delimiter, a comment or the end of the text.
 */
export const readLenientText = (source: string, from: number): TextRead => {
  const opener = source[from]!;
  const closers = CLOSERS[opener]!;
  let value = '';
  let offset = from + 1;
  for (;;) {
    const end = findPlainEnd(source, offset, closers);
    value += source.slice(offset, end);
    offset = end;
    if (offset >= source.length) return { problem: 'it ends inside a text', offset };
    if (source[offset] === '\\') {
      const escape = readEscape(source, offset);
      if (!escape) return { problem: 'an escape that JSON does not have', offset };
      value += escape.value;
      offset = escape.offset;
    } else if (opener === '"' || isFollowedByJson(source, offset + 1)) {
      return { value, offset: offset + 1 };
    } else {
      value += source[offset]!;
      offset += 1;
    }
  }
};

const findPlainEnd = (source: string, from: number, closers: string): number => {
  const [opening, closing] = [closers.charCodeAt(0), closers.charCodeAt(closers.length - 1)];
  let offset = from;
  for (; offset < source.length; offset += 1) {
    const unit = source.charCodeAt(offset);
    if (unit === BACKSLASH || unit === opening || unit === closing) break;
  }
  return offset;
};

const BACKSLASH = 0x5c;

const readEscape = (
  source: string,
  offset: number,
): { value: string; offset: number } | undefined => {
  const letter = source[offset + 1] ?? '';
  const value = ESCAPES.get(letter);
  if (value !== undefined) return { value, offset: offset + 2 };
  const hex = source.slice(offset + 2, offset + 6);
  if (letter !== 'u' || !HEX.test(hex)) return undefined;
  return { value: String.fromCharCode(Number.parseInt(hex, 16)), offset: offset + 6 };
};

const FOLLOWS = /\s*(?:[,:}\]#]|\/[/*]|$)/y;

const isFollowedByJson = (source: string, offset: number): boolean => {
  FOLLOWS.lastIndex = offset;
  return FOLLOWS.test(source);
};

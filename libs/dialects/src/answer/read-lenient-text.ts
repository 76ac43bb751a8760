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

export type TextRead = { value: string; at: number } | { problem: string; at: number };

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
 * Parses the string whose opening quote is at `from`. Raw control characters are accepted. Single
 * and smart quotes also occur as apostrophes, so they end the string only if a JSON delimiter
 * follows; valid JSON is parsed as usual.
 */
export const readLenientText = (source: string, from: number): TextRead => {
  const opener = source[from]!;
  const closers = CLOSERS[opener]!;
  let value = '';
  let at = from + 1;
  for (;;) {
    const end = findPlainEnd(source, at, closers);
    value += source.slice(at, end);
    at = end;
    if (at >= source.length) return { problem: 'it ends inside a text', at };
    if (source[at] === '\\') {
      const escape = readEscape(source, at);
      if (!escape) return { problem: 'an escape that JSON does not have', at };
      value += escape.value;
      at = escape.at;
    } else if (opener === '"' || isFollowedByJson(source, at + 1)) {
      return { value, at: at + 1 };
    } else {
      value += source[at]!;
      at += 1;
    }
  }
};

const findPlainEnd = (source: string, from: number, closers: string): number => {
  const [one, other] = [closers.charCodeAt(0), closers.charCodeAt(closers.length - 1)];
  let at = from;
  for (; at < source.length; at += 1) {
    const unit = source.charCodeAt(at);
    if (unit === BACKSLASH || unit === one || unit === other) break;
  }
  return at;
};

const BACKSLASH = 0x5c;

const readEscape = (source: string, at: number): { value: string; at: number } | undefined => {
  const letter = source[at + 1] ?? '';
  const value = ESCAPES.get(letter);
  if (value !== undefined) return { value, at: at + 2 };
  const hex = source.slice(at + 2, at + 6);
  if (letter !== 'u' || !HEX.test(hex)) return undefined;
  return { value: String.fromCharCode(Number.parseInt(hex, 16)), at: at + 6 };
};

const FOLLOWS = /\s*(?:[,:}\]#]|\/[/*]|$)/y;

const isFollowedByJson = (source: string, at: number): boolean => {
  FOLLOWS.lastIndex = at;
  return FOLLOWS.test(source);
};

/**
 * Decodes common HTML, JSON and URL escapes, also nested to a depth of `DEPTH_MAX`, converts
 * full-width letters and removes invisible characters. Attackers use these to hide tags from
 * filters, and models decode them.
 */
export const undoEscapes = (text: string): string => {
  let plain = stripObfuscation(text);
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) {
    const next = plain.replaceAll(ESCAPE, (escape) => decodeEscape(escape));
    if (next === plain) return plain;
    plain = stripObfuscation(next);
  }
  return plain;
};

const DEPTH_MAX = 4;

const INVISIBLE = /[\p{Cf}\ufe00-\ufe0f\u034f]/gu;

const stripObfuscation = (text: string): string => text.normalize('NFKC').replaceAll(INVISIBLE, '');

const ESCAPE = new RegExp(
  [
    String.raw`&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,7}|#x[\da-f]{1,6});`,
    String.raw`\\{1,16}(?:u[\da-f]{4}|x[\da-f]{2}|["'/nrt])`,
    String.raw`%[2-7][\da-f]`,
  ].join('|'),
  'gi',
);

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const SPACES = /^[nrt]$/;
const LAST_CODE_POINT = 0x10ffff;

const decodeEscape = (escape: string): string => {
  if (escape.startsWith('%')) return fromHex(escape.slice(1));
  if (escape.startsWith('\\')) {
    const escaped = escape.replace(/^\\+/, '');
    if (escaped.length > 1) return fromHex(escaped.slice(1));
    return SPACES.test(escaped) ? ' ' : escaped;
  }
  const name = escape.slice(1, -1).toLowerCase();
  if (!name.startsWith('#')) return NAMED_ENTITIES[name]!;
  return name.startsWith('#x') ? fromHex(name.slice(2)) : fromCode(Number(name.slice(1)));
};

const fromHex = (digits: string): string => fromCode(Number.parseInt(digits, 16));

const fromCode = (code: number): string =>
  code <= LAST_CODE_POINT ? String.fromCodePoint(code) : '\ufffd';

/**
 * Replaces the `<` of memory tags in untrusted text by `&lt;`, and adds that to tags without it, so
 * that they are not parsed as tags.
 */
export const escapeMemoryTags = (text: string): string => text.replaceAll(TAG_START, '&lt;');

const TAG_START = /<(?=\/?memory)|(?<![<\w/;])(?=memory\s+(?:key|type|global)\s*=)/gi;

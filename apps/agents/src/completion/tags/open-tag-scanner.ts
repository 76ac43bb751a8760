/** Attributes by lower-case name; the value is `true` for a name without a value. */
type TagAttributes = ReadonlyMap<string, string | true>;

export type OpeningTag = {
  kind: 'opening';
  name: string;
  attributes: TagAttributes;
  isSelfClosing: boolean;
  source: string;
};

/**
 * Token of a scanned text; `cut` is a tag at the end of the text whose name is complete and
 * delimited but whose `>` is missing.
 */
export type TagToken =
  | OpeningTag
  | { kind: 'text'; text: string }
  | { kind: 'closing'; name: string; source: string }
  | { kind: 'cut'; isClosing: boolean };

type TagScanner = {
  push(piece: string): TagToken[];
  /** If `isCut`, the answer was cut off, and the beginning of a tag's name is dropped. */
  end(ending?: { isCut: boolean }): TagToken[];
};

/**
 * Maximum length of a tag, in UTF-16 units. A tag without a `>` within this length is treated as
 * text, which bounds the buffer.
 */
export const TAG_LENGTH_MAX = 512;

/** ASCII white space, and the no-break space, which models sometimes write. */
const SPACE = String.raw`\t-\r \u00a0`;
/** Straight and curly quotes. A straight quote also closes curly quotes of its kind. */
const QUOTES = [
  ['"', '"'],
  ["'", "'"],
  [String.raw`\u201c-\u201f`, String.raw`"\u201c-\u201f`],
  [String.raw`\u2018-\u201b`, String.raw`'\u2018-\u201b`],
].map(([opening, closing]) => ({ opening, closing }));
const ANY_QUOTE = String.raw`"'\u2018-\u201f`;
const QUOTED = QUOTES.map(({ opening, closing }) => `[${opening}][^${closing}]*[${closing}]`);
const CUT_QUOTED = QUOTES.map(({ opening, closing }) => `[${opening}][^${closing}]*$`);
// The lookahead prevents backtracking into the value.
const BARE = `[^${SPACE}<>${ANY_QUOTE}][^${SPACE}<>]*(?![^${SPACE}<>])`;
const VALUE = `=[${SPACE}]*(?:${[...QUOTED, ...CUT_QUOTED, BARE, '(?=[<>])', '$'].join('|')})`;
/**
 * Inside of a tag up to its `>`, to a `<` outside quotes or to the end of input, by the attribute
 * rules of the HTML standard (13.2.5.32 to 13.2.5.39), extended by curly quotes. A quote opens a
 * value only if nothing but spaces is between it and the `=`.
 */
const INSIDE = `(?:[^<>=]|${VALUE})*`;

const toTagStart = (names: readonly string[]): RegExp => {
  const name = names.toSorted((one, other) => other.length - one.length).join('|');
  return new RegExp(
    `^<(?:/(?<closing>${name})(?=[${SPACE}>])[${SPACE}]*|(?<opening>${name})(?=[${SPACE}/>])${INSIDE})`,
    'i',
  );
};

/**
 * Opens a scanner for tags; `names` must be lower case and match in any case. Which tags are found
 * does not depend on how the text is split into pieces. At most `TAG_LENGTH_MAX` units, those of an
 * incomplete tag at the end of a piece, are scanned again with the next piece. A `<` outside quotes
 * ends an incomplete tag, which then becomes text.
 */
export function openTagScanner(names: readonly string[]): TagScanner {
  const tagStart = toTagStart(names);
  let buffer = '';

  /** Reads the tag at the start of `text`, which begins with `<`. */
  function readTag(text: string): { token: TagToken; length: number } | 'more' | undefined {
    const tagText = text.slice(0, TAG_LENGTH_MAX);
    const match = tagStart.exec(tagText);
    if (!match) return isNameCut(tagText, names) ? 'more' : undefined;
    const [inside] = match;
    if (tagText[inside.length] === '>') {
      return { token: toToken(match, `${inside}>`), length: inside.length + 1 };
    }
    if (inside.length === tagText.length && tagText.length < TAG_LENGTH_MAX) return 'more';
    return { token: { kind: 'text', text: inside }, length: inside.length };
  }

  return {
    push(piece) {
      const text = buffer + piece;
      const tokens: TagToken[] = [];
      let textStart = 0;
      let index = text.indexOf('<');
      while (index !== -1) {
        const tag = readTag(text.slice(index, index + TAG_LENGTH_MAX));
        if (tag === 'more') break;
        if (tag) {
          pushText(tokens, text.slice(textStart, index));
          tokens.push(tag.token);
          textStart = index + tag.length;
        }
        index = text.indexOf('<', tag ? textStart : index + 1);
      }
      pushText(tokens, text.slice(textStart, index === -1 ? undefined : index));
      buffer = index === -1 ? '' : text.slice(index);
      return tokens;
    },
    end({ isCut } = { isCut: false }) {
      const match = tagStart.exec(buffer);
      if (match) return [{ kind: 'cut', isClosing: match.groups!['closing'] !== undefined }];
      return buffer === '' || isCut ? [] : [{ kind: 'text', text: buffer }];
    },
  };
}

const NAME_CUT = /^<\/?(?<beginning>[a-z]*)$/i;

const isNameCut = (text: string, names: readonly string[]): boolean => {
  const beginning = NAME_CUT.exec(text)?.groups!['beginning']?.toLowerCase();
  return beginning !== undefined && names.some((name) => name.startsWith(beginning));
};

function toToken({ groups }: RegExpExecArray, source: string): TagToken {
  const { opening, closing } = groups as Record<'opening' | 'closing', string | undefined>;
  if (opening === undefined) return { kind: 'closing', name: closing!.toLowerCase(), source };
  const isSelfClosing = source.endsWith('/>');
  const attributes = parseAttributes(source.slice(opening.length + 1, isSelfClosing ? -2 : -1));
  return { kind: 'opening', name: opening.toLowerCase(), attributes, isSelfClosing, source };
}

function pushText(tokens: TagToken[], text: string): void {
  if (text !== '') tokens.push({ kind: 'text', text });
}

const ATTRIBUTE = new RegExp(
  `(?<name>[^${SPACE}/=]*)[${SPACE}]*=[${SPACE}]*(?<value>${[...QUOTED, BARE].join('|')})?` +
    `|(?<flag>[^${SPACE}/=]+)`,
  'g',
);
const STARTS_QUOTED = new RegExp(`^[${ANY_QUOTE}]`);

/**
 * Parses the attributes between a tag's name and its `>`, with any kind of quotes or none, and with
 * spaces around `=`. Of attributes with the same name, the first is returned. Never throws.
 */
export function parseAttributes(text: string): TagAttributes {
  const attributes = new Map<string, string | true>();
  for (const { groups } of text.matchAll(ATTRIBUTE)) {
    const { name, value = '', flag } = groups as Record<string, string | undefined>;
    const key = (flag ?? name!).toLowerCase();
    if (key === '' || attributes.has(key)) continue;
    const content = STARTS_QUOTED.test(value) ? value.slice(1, -1) : value;
    attributes.set(key, flag === undefined ? content : true);
  }
  return attributes;
}

/** Texts of an answer as they may be kept; what was taken out of them is counted. */
export type TextTaker = {
  /** One text, or null where there is none. */
  one: (value: unknown, lengthMax?: number) => string | null;
  /** Texts of a list, each once; an object in it is its texts in one line. */
  list: (value: unknown, countMax: number) => string[];
  /** Links that were left out. */
  readonly links: number;
};

/** In UTF-16 units. */
const TEXT_LENGTH_MAX = 1_000;

const MARKDOWN_LINK = /\[([^\]\n]{1,300})\]\((?:https?:\/\/|www\.)[^\s)]{1,2000}\)/giu;
const LINK = /(?:https?:\/\/|\bwww\.)[^\s<>"'`)\]}]+/giu;

/**
 * Takes texts out of an answer. A link that the question did not hold was made up, since no page
 * was read: it is left out (C9). NUL and halves of surrogate pairs, which no database takes, too.
 */
export const openTextTaker = (query: string): TextTaker => {
  let links = 0;
  const dropLink = (link: string, words = ''): string => {
    if (query.includes(link.replace(/[.,;:!?]+$/u, ''))) return link;
    links += 1;
    return words;
  };
  const one = (value: unknown, lengthMax = TEXT_LENGTH_MAX): string | null => {
    const spelled = typeof value === 'number' ? String(value) : value;
    if (typeof spelled !== 'string') return null;
    // Cut first: what follows looks at each character of it.
    const text = spelled
      .slice(0, lengthMax * 2)
      .replaceAll('\0', '')
      .toWellFormed()
      .replaceAll(MARKDOWN_LINK, (link, words: string) => dropLink(link, words))
      .replaceAll(LINK, (link) => dropLink(link))
      .trim();
    if (text === '') return null;
    return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
  };
  return {
    one,
    list: (value, countMax) => {
      const items: unknown[] = Array.isArray(value) ? value : [value];
      const texts = items.map((item) => one(toLine(item))).filter((text) => text !== null);
      return [...new Set(texts)].slice(0, countMax);
    },
    get links() {
      return links;
    },
  };
};

/** `{ "title": "AI", "description": "grows" }` is `AI: grows`. */
const toLine = (item: unknown): unknown => {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.values(item)
    .filter((part) => typeof part === 'string')
    .join(': ');
};

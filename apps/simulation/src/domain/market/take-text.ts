import { dropReferences } from './drop-references.ts';

/** Texts of an answer as they may be kept; what was taken out of them is counted. */
export type TextTaker = {
  /** One text, or null where there is none. */
  one: (value: unknown, lengthMax?: number) => string | null;
  /** Texts of a list, each once; an object in it is its texts in one line. */
  list: (value: unknown, countMax: number) => string[];
  /** Links that were left out. */
  readonly links: number;
  /** Named sources that were left out. */
  readonly sources: number;
};

/** In UTF-16 units. */
const TEXT_LENGTH_MAX = 1_000;

/**
 * Takes texts out of an answer. Links and sources that the question does not hold are left out: no
 * page was read (C9). So are NUL and halves of surrogate pairs, which no database takes.
 */
export const openTextTaker = (query: string): TextTaker => {
  const dropped = { links: 0, sources: 0 };
  const one = (value: unknown, lengthMax = TEXT_LENGTH_MAX): string | null => {
    const spelled = typeof value === 'number' ? String(value) : value;
    if (typeof spelled !== 'string') return null;
    // Cut first: what follows looks at each character of it.
    const cut = spelled
      .slice(0, lengthMax * 2)
      .replaceAll('\0', '')
      .toWellFormed();
    const { links, sources, ...without } = dropReferences(cut, query);
    dropped.links += links;
    dropped.sources += sources;
    const text = without.text.trim();
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
      return dropped.links;
    },
    get sources() {
      return dropped.sources;
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

import { removeReferences } from './remove-references.ts';

export type TextReader = {
  read: (value: unknown, lengthMax?: number) => string | null;
  readList: (value: unknown, countMax: number) => string[];
  readonly links: number;
  readonly sources: number;
};

const TEXT_LENGTH_MAX = 1_000;

/**
 * Creates a reader of texts in a model's answer. It removes links and sources that are not in the
 * question, because the model read no web page, and NUL and unpaired surrogates, which PostgreSQL
 * rejects.
 */
export const createTextReader = (query: string): TextReader => {
  const removed = { links: 0, sources: 0 };
  const read = (value: unknown, lengthMax = TEXT_LENGTH_MAX): string | null => {
    const input = typeof value === 'number' ? String(value) : value;
    if (typeof input !== 'string') return null;
    // Truncated first, because the steps below read every character of their input.
    const truncated = input
      .slice(0, lengthMax * 2)
      .replaceAll('\0', '')
      .toWellFormed();
    const { links, sources, ...without } = removeReferences(truncated, query);
    removed.links += links;
    removed.sources += sources;
    const text = without.text.trim();
    if (text === '') return null;
    return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
  };
  return {
    read,
    readList: (value, countMax) => {
      const items: unknown[] = Array.isArray(value) ? value : [value];
      const texts = items.map((item) => read(toLine(item))).filter((text) => text !== null);
      return [...new Set(texts)].slice(0, countMax);
    },
    get links() {
      return removed.links;
    },
    get sources() {
      return removed.sources;
    },
  };
};

/**
 * Joins the texts of an object, so that `{ "title": "AI", "description": "grows" }` becomes `AI:
 * grows`. Returns other values unchanged.
 */
const toLine = (item: unknown): unknown => {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return item;
  return Object.values(item)
    .filter((part) => typeof part === 'string')
    .join(': ');
};

import type { JsonObject } from '@witan/dialects';
import type { DepthBudget } from './market-analysis.ts';
import { CURRENCY, findAmounts, SCALES } from './find-amounts.ts';
import { removeReferences } from './remove-references.ts';

/**
 * Maximum confidence that is reported, whatever the model states. It is low, because the model read
 * no web page.
 */
export const CONFIDENCE_MAX = 0.5;
const CONFIDENCE_DEFAULT = 0.3;

export type ReadingContext = {
  query: string;
  budget: DepthBudget;
  yearMax: number;
  textReader: TextReader;
  /**
   * Adds a sentence about a fixed or removed value to the assumptions, unless it is there already.
   */
  note: (assumption: string) => void;
  readonly notes: readonly string[];
};

export const createReadingContext = (
  options: Pick<ReadingContext, 'query' | 'budget' | 'yearMax'>,
): ReadingContext => {
  const notes = new Set<string>();
  return {
    ...options,
    textReader: createTextReader(options.query),
    note: (assumption) => void notes.add(assumption),
    get notes() {
      return [...notes];
    },
  };
};

/**
 * Returns the stated confidence, rounded. The maximum and anything above it says nothing, because
 * models write the highest number that they are allowed to; it becomes the default.
 */
export const toConfidence = (value: unknown): number => {
  const number = parseNumber(value) ?? CONFIDENCE_DEFAULT;
  const stated = number < CONFIDENCE_MAX ? number : CONFIDENCE_DEFAULT;
  return Math.round(Math.max(0, stated) * 100) / 100;
};

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const toObjects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

type TextReader = {
  read: (value: unknown, lengthMax?: number) => string | null;
  readList: (value: unknown, countMax: number) => string[];
  /** From now on sentences that state one of these amounts of money are removed. */
  dropAmounts: (amounts: readonly number[]) => void;
  readonly links: number;
  readonly sources: number;
};

const TEXT_LENGTH_MAX = 1_000;

/**
 * Creates a reader of texts in a model's answer. It removes links and sources that are not in the
 * question, because the model read no web page. It also removes NUL and replaces unpaired
 * surrogates, because PostgreSQL rejects both.
 */
const createTextReader = (query: string): TextReader => {
  const removed = { links: 0, sources: 0 };
  const dropped = new Set<number>();
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
    const text = dropSentences(without.text, dropped).trim();
    if (text === '' || SCHEMA_WORD.test(text)) return null;
    return text.length <= lengthMax ? text : `${text.slice(0, lengthMax - 1).toWellFormed()}…`;
  };
  return {
    read,
    readList: (value, countMax) => {
      const items: unknown[] = Array.isArray(value) ? value : [value];
      const texts = items.map((item) => read(toLine(item))).filter((text) => text !== null);
      return [...new Set(texts)].slice(0, countMax);
    },
    dropAmounts: (amounts) => {
      for (const amount of amounts) dropped.add(amount);
    },
    get links() {
      return removed.links;
    },
    get sources() {
      return removed.sources;
    },
  };
};

/** A text that is only a word of the schema, or says that nothing is known. */
const SCHEMA_WORD = /^(?:top[-_ ]?down|bottom[-_ ]?up|unknown|null|none|n\/?a|not known)\.?$/iu;

const dropSentences = (text: string, dropped: ReadonlySet<number>): string =>
  dropped.size === 0
    ? text
    : text
        .split(/(?<=[.!?])\s+/u)
        .filter((sentence) => !findAmounts(sentence).some((amount) => dropped.has(amount)))
        .join(' ');

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

const FIGURE = new RegExp(
  String.raw`^(?:~|about|approx\.?|approximately|ca\.?)?\s*(?:${CURRENCY})?\s*` +
    String.raw`(?<figure>-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?)\s*` +
    String.raw`(?<scale>${Object.keys(SCALES).join('|')})?\s*(?:%|percent|${CURRENCY})?$`,
);
const FIGURE_LENGTH_MAX = 60;

/**
 * Returns the value of a JSON number or of a text such as `$12.5 billion`. Returns undefined for
 * other values and for texts that are not exactly one amount, such as a range.
 */
export const parseNumber = (value: unknown): number | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string' || value.length > FIGURE_LENGTH_MAX) return undefined;
  const found = FIGURE.exec(value.trim().toLowerCase())?.groups;
  if (!found) return undefined;
  const { figure, scale } = found;
  return Number(figure!.replaceAll(',', '')) * (scale === undefined ? 1 : SCALES[scale]!);
};

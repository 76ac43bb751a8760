import { CATEGORIES } from '../span.ts';
import type { Category } from '../span.ts';
import { createPlaceholderTable } from './create-placeholder-table.ts';
import type { CategoryCounts, PlaceholderTable } from './create-placeholder-table.ts';
import { findJsonPieces } from './find-json-pieces.ts';
import type { JsonMaskOptions, JsonPieces } from './find-json-pieces.ts';
import { createPersons, findInName } from './participant-name.ts';
import { findSpans, findSuspects, prefixOf, toPieces } from './find-pieces.ts';
import type { Detect, Stretch } from './find-pieces.ts';

/** Masks the strings of one request into one table. Throws what `detect` throws. */
export type Masker = {
  /** The text with placeholders; the same string when there is nothing to mask. */
  mask(text: string, options?: { key?: string }): string;
  /**
   * Masks the strings of a JSON text, and personal data in its keys and numbers, as `placeOf` says.
   * Every other byte stays. A text that is no JSON is masked as plain text.
   */
  maskJsonText(text: string, options?: JsonMaskOptions): string;
  /** What was masked until now, by category in ascending order; escapes are not counted. */
  counts(): CategoryCounts;
  /** How many values were found in fixed places of JSON texts, and left. */
  left(): number;
  /** What `restore` needs. It grows with each masked text. */
  readonly table: PlaceholderTable;
};

export type MaskerOptions = {
  /** At least 16 secret bytes, one key per workspace and provider. */
  key: Uint8Array;
  detect: Detect;
};

const KEY_BYTES_MIN = 16;
const SORTED_CATEGORIES = CATEGORIES.toSorted();

/** A masker of one request. */
export function createMasker({ key, detect }: MaskerOptions): Masker {
  if (key.length < KEY_BYTES_MIN)
    throw new RangeError(`the key of a masker has at least ${KEY_BYTES_MIN} bytes`);
  const table = createPlaceholderTable(key);
  const counter = createCounter();
  const persons = createPersons();
  let left = 0;

  /** Values take their names first; then what looks like one of these names is escaped. */
  function replace(text: string, found: Omit<JsonPieces, 'left'>): string {
    const { pieces, suspects, names: participants } = found;
    const edits = pieces.map((piece) => {
      const { kind, value, json, quote = '' } = piece;
      const name = table.nameOf(kind, { value, json, isNumber: quote !== '' });
      if (kind !== 'LITERAL') counter.add(kind, name);
      if (kind === 'PERSON') persons.add(value);
      return { start: piece.start, end: piece.end, text: `${quote}[[${name}]]${quote}` };
    });
    const escaped = suspects.filter(({ name, always }) => {
      const isKnown = table.find(name) !== undefined;
      if (!isKnown) table.reserve(name);
      return always || isKnown;
    });
    const escapes = escaped.map(({ start, end, value, json }) => ({
      start,
      end,
      text: `[[${table.nameOf('LITERAL', { value, json })}]]`,
    }));
    return applyEdits(text, [...edits, ...escapes, ...replaceNames(participants)]);
  }

  /** Names of participants, once all persons of the call are known. */
  function replaceNames(found: readonly Stretch[]): Edit[] {
    return found.flatMap(({ start, end, value, json }) => {
      const kind = findInName(value, detect) ?? (persons.has(value) ? 'PERSON' : undefined);
      if (kind === undefined) return [];
      const name = table.nameOf(kind, { value, json });
      counter.add(kind, name);
      // Providers take letters, digits, underscores and dashes; restoring takes any case.
      return [{ start, end, text: name.toLowerCase() }];
    });
  }

  function mask(text: string, options: { key?: string } = {}): string {
    const pieces = toPieces(text, findSpans(text, detect, prefixOf(options.key ?? '')));
    return replace(text, { pieces, suspects: findSuspects(text, pieces), names: [] });
  }

  return {
    mask,
    maskJsonText(text, options = {}) {
      const found = findJsonPieces(text, { ...options, detect });
      if (found === undefined) return mask(text);
      left += found.left;
      return replace(text, found);
    },
    counts: counter.counts,
    left: () => left,
    table,
  };
}

/** Counts values and occurrences by category. */
function createCounter() {
  const names = new Map<Category, Set<string>>();
  const occurrences = new Map<Category, number>();
  return {
    add(category: Category, name: string): void {
      const known = names.get(category) ?? new Set();
      names.set(category, known.add(name));
      occurrences.set(category, (occurrences.get(category) ?? 0) + 1);
    },
    counts: (): CategoryCounts =>
      Object.fromEntries(
        SORTED_CATEGORIES.flatMap((category) => {
          const values = names.get(category)?.size ?? 0;
          const times = occurrences.get(category) ?? 0;
          return values === 0 ? [] : [[category, { values, occurrences: times }]];
        }),
      ),
  };
}

type Edit = { start: number; end: number; text: string };

function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let masked = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    masked += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return masked + text.slice(at);
}

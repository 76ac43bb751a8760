import { CATEGORIES } from '../span.ts';
import type { Category } from '../span.ts';
import { createPlaceholderTable } from './create-placeholder-table.ts';
import type { CategoryCounts, PlaceholderTable } from './create-placeholder-table.ts';
import { findJsonPieces } from './find-json-pieces.ts';
import type { JsonMaskOptions } from './find-json-pieces.ts';
import { findSpans, findSuspects, toPieces } from './find-pieces.ts';
import type { Detect, Piece, Suspect } from './find-pieces.ts';

/** Masks the strings of one request into one table. Throws what `detect` throws. */
export type Masker = {
  /** The text with placeholders; the same string when there is nothing to mask. */
  mask(text: string, options?: { key?: string }): string;
  /**
   * Masks the string leaves of a JSON text, and numbers under a key that names personal data; never
   * keys. Every other byte stays. A text that is no JSON is masked as plain text.
   */
  maskJsonText(text: string, options?: JsonMaskOptions): string;
  /** What was masked until now, by category in ascending order; escapes are not counted. */
  counts(): CategoryCounts;
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
  const names = new Map<Category, Set<string>>();
  const occurrences = new Map<Category, number>();

  function count(category: Category, name: string): void {
    const known = names.get(category) ?? new Set();
    names.set(category, known.add(name));
    occurrences.set(category, (occurrences.get(category) ?? 0) + 1);
  }

  /** Values take their names first; then what looks like one of these names is escaped. */
  function replace(text: string, pieces: readonly Piece[], suspects: readonly Suspect[]): string {
    const edits = pieces.map((piece) => {
      const { kind, value, json, quote = '' } = piece;
      const name = table.nameOf(kind, { value, json, isNumber: quote !== '' });
      if (kind !== 'LITERAL') count(kind, name);
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
    return applyEdits(text, [...edits, ...escapes]);
  }

  function mask(text: string, options: { key?: string } = {}): string {
    const pieces = toPieces(text, findSpans(text, detect, options.key));
    return replace(text, pieces, findSuspects(text, pieces));
  }

  return {
    mask,
    maskJsonText(text, options = {}) {
      const found = findJsonPieces(text, { ...options, detect });
      return found === undefined ? mask(text) : replace(text, found.pieces, found.suspects);
    },
    counts: () =>
      Object.fromEntries(
        SORTED_CATEGORIES.flatMap((category) => {
          const values = names.get(category)?.size ?? 0;
          const times = occurrences.get(category) ?? 0;
          return values === 0 ? [] : [[category, { values, occurrences: times }]];
        }),
      ),
    table,
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

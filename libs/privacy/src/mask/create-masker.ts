import { CATEGORIES } from '../span.ts';
import { runSteps, STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import type { Category } from '../span.ts';
import { createPlaceholderTable } from './create-placeholder-table.ts';
import type { CategoryCounts, PlaceholderTable } from './create-placeholder-table.ts';
import { findJsonReplacements } from './find-json-replacements.ts';
import type { JsonMaskOptions, JsonReplacements } from './find-json-replacements.ts';
import { createPersons, findInName } from './participant-name.ts';
import { findSpansInSteps, findUnmaskedLookalikes, toReplacements } from './find-replacements.ts';
import type { Detect, ValueRange } from './find-replacements.ts';

export type Masker = {
  mask(text: string): string;
  /**
   * Masks personal data in the strings, keys and numbers of a JSON text, as `roleOf` directs.
   * Leaves every other byte unchanged. Masks invalid JSON as plain text.
   */
  maskJsonText(text: string, options?: JsonMaskOptions): string;
  /** Does the same in steps. A masker masks one text at a time. */
  maskJsonInSteps(text: string, options?: JsonMaskOptions): Steps<string>;
  counts(): CategoryCounts;
  /**
   * Number of detected values that were not masked, because they are in `fixed` strings or in keys
   * whose role is not `data`.
   */
  unmasked(): number;
  readonly table: PlaceholderTable;
};

export type MaskerOptions = {
  /** At least 16 secret bytes, different for each workspace and provider. */
  key: Uint8Array;
  detect: Detect;
};

const KEY_BYTES_MIN = 16;
/** Naming a value takes about as long as detecting 16 code units. */
const NAMES_PER_STEP = STEP_UNITS / 16;
const SORTED_CATEGORIES = CATEGORIES.toSorted();

export function createMasker({ key, detect }: MaskerOptions): Masker {
  if (key.length < KEY_BYTES_MIN)
    throw new RangeError(`the key of a masker has at least ${KEY_BYTES_MIN} bytes`);
  const table = createPlaceholderTable(key);
  const counter = createCounter();
  const persons = createPersons();
  let unmasked = 0;

  /**
   * Assigns placeholder names to all values before it escapes lookalikes, because a lookalike must
   * be escaped if its name is in use.
   */
  function* replace(text: string, found: Omit<JsonReplacements, 'unmasked'>): Steps<string> {
    const { replacements, lookalikes, names: participants } = found;
    const edits: Edit[] = [];
    for (const [index, replacement] of replacements.entries()) {
      if (index % NAMES_PER_STEP === 0) yield;
      const { kind, value, json, quote = '' } = replacement;
      const name = table.nameOf(kind, { value, json, isNumber: quote !== '' });
      if (kind !== 'LITERAL') counter.add(kind, name);
      if (kind === 'PERSON') persons.add(value);
      const { start, end } = replacement;
      edits.push({ start, end, text: `${quote}[[${name}]]${quote}` });
    }
    const escaped = lookalikes.filter(({ name, alwaysEscaped }) => {
      const isKnown = table.find(name) !== undefined;
      if (!isKnown) table.reserve(name);
      return alwaysEscaped || isKnown;
    });
    const escapes = escaped.map(({ start, end, value, json }) => {
      const name = table.nameOf('LITERAL', { value, json });
      return { start, end, text: `[[${name}]]` };
    });
    return applyEdits(text, [...edits, ...escapes, ...replaceNames(participants)]);
  }

  /** Masks participant names. Must run last, when all persons of the request are known. */
  function replaceNames(found: readonly ValueRange[]): Edit[] {
    return found.flatMap(({ start, end, value, json }) => {
      const kind = findInName(value, detect) ?? (persons.has(value) ? 'PERSON' : undefined);
      if (kind === undefined) return [];
      const name = table.nameOf(kind, { value, json });
      counter.add(kind, name);
      // Providers accept only letters, digits, _ and - here. Lower case is restored too.
      return [{ start, end, text: name.toLowerCase() }];
    });
  }

  function* maskInSteps(text: string): Steps<string> {
    const replacements = toReplacements(text, yield* findSpansInSteps(text, detect));
    const lookalikes = findUnmaskedLookalikes(text, replacements);
    return yield* replace(text, { replacements, lookalikes, names: [] });
  }

  function* maskJsonInSteps(text: string, options: JsonMaskOptions = {}): Steps<string> {
    const found = yield* findJsonReplacements(text, { ...options, detect });
    if (found === undefined) return yield* maskInSteps(text);
    unmasked += found.unmasked;
    return yield* replace(text, found);
  }

  return {
    mask: (text) => runSteps(maskInSteps(text)),
    maskJsonText: (text, options) => runSteps(maskJsonInSteps(text, options)),
    maskJsonInSteps,
    counts: counter.counts,
    unmasked: () => unmasked,
    table,
  };
}

function createCounter() {
  const names = new Map<Category, Set<string>>();
  const occurrences = new Map<Category, number>();
  return {
    add(category: Category, name: string): void {
      const knownNames = names.get(category) ?? new Set();
      names.set(category, knownNames.add(name));
      occurrences.set(category, (occurrences.get(category) ?? 0) + 1);
    },
    counts: (): CategoryCounts =>
      Object.fromEntries(
        SORTED_CATEGORIES.flatMap((category) => {
          const values = names.get(category)?.size ?? 0;
          const occurrenceCount = occurrences.get(category) ?? 0;
          return values === 0 ? [] : [[category, { values, occurrences: occurrenceCount }]];
        }),
      ),
  };
}

type Edit = { start: number; end: number; text: string };

function applyEdits(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  let masked = '';
  let offset = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    masked += text.slice(offset, edit.start) + edit.text;
    offset = edit.end;
  }
  return masked + text.slice(offset);
}

import type { Detect } from '../detect.ts';
import type { Category } from '../span.ts';
import { advanceInSteps, runSteps, STEP_UNITS } from '../steps.ts';
import type { Steps } from '../steps.ts';
import { findInJson, findInJsonInSteps } from './find-in-json.ts';
import type { JsonMaskOptions } from './find-in-json.ts';
import { findInText, findInTextInSteps } from './find-in-text.ts';
import type { Findings, ValueRange } from './find-in-text.ts';
import { splitWords } from './json-cue.ts';
import { createPlaceholderTable } from './placeholders.ts';
import type { PlaceholderTable, Sha256 } from './placeholders.ts';

export type CategoryCount = { values: number; occurrences: number };

export type CategoryCounts = Partial<Record<Category, CategoryCount>>;

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
  /** SHA-256 of bytes, by default in JavaScript; that of Node takes half as long. */
  sha256?: Sha256 | undefined;
};

const KEY_BYTES_MIN = 16;
/** Naming a value takes about as long as detecting 16 code units. */
const NAMES_PER_STEP = STEP_UNITS / 16;

export function createMasker(options: MaskerOptions): Masker {
  const { key, detect } = options;
  if (key.length < KEY_BYTES_MIN)
    throw new RangeError(`the key of a masker has at least ${KEY_BYTES_MIN} bytes`);
  const { replace, replaceInSteps, table, counts, unmasked } = createReplacer(options);

  function maskShort(text: string, jsonOptions: JsonMaskOptions): string {
    const found = findInJson(text, { ...jsonOptions, detect }) ?? findInText(text, detect);
    return replace(text, found);
  }

  function* maskJsonInSteps(text: string, jsonOptions: JsonMaskOptions = {}): Steps<string> {
    if (text.length <= STEP_UNITS) return maskShort(text, jsonOptions);
    const found =
      (yield* findInJsonInSteps(text, { ...jsonOptions, detect })) ??
      (yield* findInTextInSteps(text, detect));
    return yield* replaceInSteps(text, found);
  }

  return {
    mask: (text) => replace(text, findInText(text, detect)),
    maskJsonText: (text, jsonOptions = {}) =>
      text.length <= STEP_UNITS
        ? maskShort(text, jsonOptions)
        : runSteps(maskJsonInSteps(text, jsonOptions)),
    maskJsonInSteps,
    counts,
    unmasked,
    table,
  };
}

/** Creates the part of a masker that names the values of a request and replaces them. */
function createReplacer({ key, detect, sha256 }: MaskerOptions) {
  const table = createPlaceholderTable(key, sha256);
  const counter = createCounter();
  const persons = createPersons();
  let unmasked = 0;

  /**
   * Opens the replacing of what was found. All values get their placeholder names before `finish`
   * escapes lookalikes, because a lookalike must be escaped if its name is in use.
   */
  function openEdits(text: string, { replacements, lookalikes, names, ...found }: Findings) {
    unmasked += found.unmasked;
    const edits: Edit[] = [];
    const nameTo = (limit: number): void => {
      while (edits.length < limit) {
        const { kind, value, json, quote = '', start, end } = replacements[edits.length]!;
        const name = table.nameOf(kind, { value, json, isNumber: quote !== '' });
        if (kind !== 'LITERAL') counter.add(kind, name);
        if (kind === 'PERSON') persons.add(value);
        edits.push({ start, end, text: `${quote}[[${name}]]${quote}` });
      }
    };
    const finish = (): string => {
      const escaped = lookalikes.filter(({ name, alwaysEscaped }) => {
        const isKnown = table.find(name) !== undefined;
        if (!isKnown) table.reserve(name);
        return alwaysEscaped || isKnown;
      });
      for (const { start, end, value, json } of escaped) {
        const name = table.nameOf('LITERAL', { value, json });
        edits.push({ start, end, text: `[[${name}]]` });
      }
      for (const range of names) edits.push(...replaceName(range));
      return applyEdits(text, edits);
    };
    return { nameTo, finish };
  }

  /** Masks a participant name. Must run last, when all persons of the request are known. */
  function replaceName({ start, end, value, json }: ValueRange): Edit[] {
    const kind = findInName(value, detect) ?? (persons.has(value) ? 'PERSON' : undefined);
    if (kind === undefined) return [];
    const name = table.nameOf(kind, { value, json });
    counter.add(kind, name);
    // Providers accept only letters, digits, _ and - here. Lower case is restored too.
    return [{ start, end, text: name.toLowerCase() }];
  }

  function replace(text: string, found: Findings): string {
    const edits = openEdits(text, found);
    edits.nameTo(found.replacements.length);
    return edits.finish();
  }

  function* replaceInSteps(text: string, found: Findings): Steps<string> {
    const edits = openEdits(text, found);
    yield* advanceInSteps(found.replacements.length, edits.nameTo, NAMES_PER_STEP);
    return edits.finish();
  }

  return { replace, replaceInSteps, table, counts: counter.counts, unmasked: () => unmasked };
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
    counts(): CategoryCounts {
      const counts: CategoryCounts = {};
      const categories = [...names.keys()].toSorted();
      for (const category of categories) {
        const values = names.get(category)!.size;
        counts[category] = { values, occurrences: occurrences.get(category)! };
      }
      return counts;
    },
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

/** Maximum number of words of a participant name that are compared. */
const WORDS_MAX = 8;

/** Collects the persons of a request. */
function createPersons() {
  const persons = new Set<string>();
  const words = new Set<string>();
  return {
    add(person: string): void {
      const parts = nameParts(person);
      persons.add(parts.join(' '));
      for (const part of parts) words.add(part);
    },
    /**
     * Returns true if a participant name such as `john_smith` refers to a known person: all its
     * words occur in names of persons, or it contains the words of one person's name in sequence.
     */
    has(name: string): boolean {
      const parts = nameParts(name);
      if (persons.size === 0 || parts.length === 0) return false;
      if (parts.every((part) => words.has(part))) return true;
      return parts.some((_part, from) =>
        parts.some(
          (_last, last) => last >= from && persons.has(parts.slice(from, last + 1).join(' ')),
        ),
      );
    },
  };
}

function findInName(name: string, detect: Detect): Category | undefined {
  // Detectors treat an underscore as part of a word, so the name is also tested with spaces
  // instead.
  for (const text of [name, name.replaceAll('_', ' ')]) {
    const [span] = detect(text, { withoutNames: true });
    if (span !== undefined) return span.category;
  }
  return undefined;
}

/**
 * Splits a name into lower-case words without accents, because a participant name cannot contain
 * accents.
 */
function nameParts(name: string): string[] {
  const withoutAccents = splitWords(name)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '');
  return withoutAccents.toLowerCase().split(' ', WORDS_MAX).filter(Boolean);
}

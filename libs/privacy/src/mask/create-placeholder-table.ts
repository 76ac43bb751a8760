import type { Category } from '../span.ts';
import { normaliseValue } from './normalise-value.ts';
import { createNameCandidates } from './placeholder-name.ts';
import type { NameCandidates, NameKind } from './placeholder-name.ts';

/** What stands behind a placeholder. */
export type MaskedValue = {
  /** As it was written. */
  value: string;
  /** As it was written in JSON, when `JSON.stringify` would write it otherwise; a number so. */
  json?: string | undefined;
  /** A number leaf of JSON: the placeholder stands in quotes that the number did not have. */
  isNumber?: boolean | undefined;
};

/** The names of one request and their values; nothing of it is stored. */
export type PlaceholderTable = {
  /** The value of a name (`EMAIL_K7Q2MX`), if it is of this table. */
  find(name: string): MaskedValue | undefined;
  names(): Iterable<string>;
  readonly size: number;
  /** Whether numbers of JSON were masked: their placeholders are restored with their quotes. */
  readonly hasNumbers: boolean;
};

export type PlaceholderTableWriter = PlaceholderTable & {
  /** The name of a value: always the same for the same value, never the same for two. */
  nameOf(kind: NameKind, masked: MaskedValue): string;
  /** A name that the text itself holds, which therefore no value may get. */
  reserve(name: string): void;
};

/** A table that was made elsewhere, from its names and values. */
export function openPlaceholderTable(
  entries: Iterable<readonly [name: string, masked: MaskedValue]>,
): PlaceholderTable {
  const byName = new Map(entries);
  return {
    find: (name) => byName.get(name),
    names: () => byName.keys(),
    size: byName.size,
    hasNumbers: [...byName.values()].some(({ isNumber }) => isNumber === true),
  };
}

/**
 * The first spelling of a value gets its plain name, each other spelling the plain name with `_2`,
 * `_3` ... in order: the model sees that both are one, and each is restored as it was written.
 */
export function createPlaceholderTable(key: Uint8Array): PlaceholderTableWriter {
  const byName = new Map<string, MaskedValue>();
  const nameBySpelling = new Map<string, string>();
  const nameByValue = new Map<string, { name: string; spellings: number }>();
  const reserved = new Set<string>();
  // Most requests hold nothing to name: the key is hashed when the first value comes.
  let candidates: NameCandidates | undefined;
  let hasNumbers = false;

  const isFree = (name: string): boolean => !byName.has(name) && !reserved.has(name);

  function newName(kind: NameKind, value: string): string {
    const normalised = kind === 'LITERAL' ? value : normaliseValue(kind, value);
    const identity = `${kind}\0${normalised}`;
    const known = nameByValue.get(identity);
    if (known !== undefined) {
      known.spellings += 1;
      return `${known.name}_${known.spellings}`;
    }
    candidates ??= createNameCandidates(key);
    const names = candidates(kind, normalised);
    let { value: name } = names.next();
    while (!isFree(name)) name = names.next().value;
    nameByValue.set(identity, { name, spellings: 1 });
    return name;
  }

  return {
    nameOf(kind, masked) {
      const spelling = spellingOf(kind, masked);
      const known = nameBySpelling.get(spelling);
      if (known !== undefined) return known;
      const name = newName(kind, masked.value);
      nameBySpelling.set(spelling, name);
      byName.set(name, masked);
      hasNumbers ||= masked.isNumber === true;
      return name;
    },
    reserve: (name) => void reserved.add(name),
    find: (name) => byName.get(name),
    names: () => byName.keys(),
    get size() {
      return byName.size;
    },
    get hasNumbers() {
      return hasNumbers;
    },
  };
}

function spellingOf(kind: NameKind, { value, json, isNumber }: MaskedValue): string {
  const how = isNumber === true ? 'number' : json === undefined ? '' : 'json';
  return [kind, how, json ?? '', value].join('\0');
}

/** Values of a category in a request: how many different ones, and how often any of them stood. */
export type CategoryCount = { values: number; occurrences: number };

export type CategoryCounts = Partial<Record<Category, CategoryCount>>;

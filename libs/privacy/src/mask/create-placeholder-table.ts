import type { Category } from '../span.ts';
import { normaliseValue } from './normalise-value.ts';
import { createNameCandidates } from './placeholder-name.ts';
import type { NameCandidates, NameKind } from './placeholder-name.ts';

export type MaskedValue = {
  value: string;
  /**
   * Original text of the value within a JSON string, if `JSON.stringify` would write it
   * differently.
   */
  json?: string | undefined;
  /** True for a JSON number, whose placeholder is in quotes; restoring it removes the quotes. */
  isNumber?: boolean | undefined;
};

export type PlaceholderTable = {
  find(name: string): MaskedValue | undefined;
  names(): Iterable<string>;
  readonly size: number;
  /**
   * True if JSON numbers were masked. Restoring their placeholders removes the quotes around them.
   */
  readonly hasNumbers: boolean;
};

type PlaceholderTableWriter = PlaceholderTable & {
  /**
   * Returns the placeholder name of a value: always the same name for one kind and spelling, and a
   * different name for any other kind or spelling.
   */
  nameOf(kind: NameKind, masked: MaskedValue): string;
  /** Prevents `nameOf` from choosing a name that occurs literally in the text. */
  reserve(name: string): void;
};

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
 * Creates an empty table. The first spelling of a value gets the plain name and further spellings
 * get the suffixes `_2`, `_3` ..., so that the model sees that they are one value and each spelling
 * is restored exactly.
 */
export function createPlaceholderTable(key: Uint8Array): PlaceholderTableWriter {
  const byName = new Map<string, MaskedValue>();
  const nameBySpelling = new Map<string, string>();
  const nameByValue = new Map<string, { name: string; spellings: number }>();
  const reserved = new Set<string>();
  let candidates: NameCandidates | undefined;
  let hasNumbers = false;

  const isFree = (name: string): boolean => !byName.has(name) && !reserved.has(name);

  function newName(kind: NameKind, value: string): string {
    const normalised = kind === 'LITERAL' ? value : normaliseValue(kind, value);
    const identity = `${kind}\0${normalised}`;
    const entry = nameByValue.get(identity);
    if (entry !== undefined) {
      entry.spellings += 1;
      return `${entry.name}_${entry.spellings}`;
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
      const knownName = nameBySpelling.get(spelling);
      if (knownName !== undefined) return knownName;
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
  const encoding = isNumber === true ? 'number' : json === undefined ? '' : 'json';
  return [kind, encoding, json ?? '', value].join('\0');
}

export type CategoryCount = { values: number; occurrences: number };

export type CategoryCounts = Partial<Record<Category, CategoryCount>>;

/** Returns `text` escaped for use inside a JSON string, without the enclosing quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

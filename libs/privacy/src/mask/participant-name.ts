import type { Category } from '../span.ts';
import { wordsOf } from './find-pieces.ts';
import type { Detect } from './find-pieces.ts';

/** The persons of a call. */
export type Persons = {
  add(person: string): void;
  /**
   * Whether the name of a participant, such as `john_smith`, names one of them: all its words are
   * theirs, or all words of one of them stand in it side by side.
   */
  has(name: string): boolean;
};

/** Longer names are compared by their first words. */
const WORDS_MAX = 8;

/** Time for each name depends on its own length only: a call may hold very many persons. */
export function createPersons(): Persons {
  const persons = new Set<string>();
  const words = new Set<string>();
  return {
    add(person) {
      const parts = partsOf(person);
      persons.add(parts.join(' '));
      for (const part of parts) words.add(part);
    },
    has(name) {
      const parts = partsOf(name);
      if (persons.size === 0 || parts.length === 0) return false;
      if (parts.every((part) => words.has(part))) return true;
      return parts.some((_part, from) =>
        parts.some((_last, at) => at >= from && persons.has(parts.slice(from, at + 1).join(' '))),
      );
    },
  };
}

/** What personal data the name of a participant holds beside a person: an address, a number. */
export function findInName(name: string, detect: Detect): Category | undefined {
  // To a detector an underscore joins words.
  for (const text of [name, name.replaceAll('_', ' ')]) {
    const [span] = detect(text, { withoutNames: true });
    if (span !== undefined) return span.category;
  }
  return undefined;
}

/** Words in lower case without accents, which the names that providers take do not have. */
function partsOf(name: string): string[] {
  const plain = wordsOf(name)
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '');
  return plain.toLowerCase().split(' ', WORDS_MAX).filter(Boolean);
}

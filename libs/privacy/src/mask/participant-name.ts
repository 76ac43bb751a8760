import type { Category } from '../span.ts';
import { splitWords } from './json-cue.ts';
import type { Detect } from './find-replacements.ts';

type Persons = {
  add(person: string): void;
  /**
   * Returns true if a participant name such as `john_smith` refers to a known person: all its words
   * occur in names of persons, or it contains the words of one person's name in sequence.
   */
  has(name: string): boolean;
};

const WORDS_MAX = 8;

export function createPersons(): Persons {
  const persons = new Set<string>();
  const words = new Set<string>();
  return {
    add(person) {
      const parts = nameParts(person);
      persons.add(parts.join(' '));
      for (const part of parts) words.add(part);
    },
    has(name) {
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

export function findInName(name: string, detect: Detect): Category | undefined {
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

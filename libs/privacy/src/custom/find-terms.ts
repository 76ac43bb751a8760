import type { Stretch } from './find-pattern.ts';

export type FoundTerm = Stretch & { index: number };

/** Terms by their first units, so that most places of a text cost one look. */
const PREFIX_LENGTH = 3;

/**
 * Finds terms as whole words, whatever the case. `index` is the term's. Only where a word may begin
 * are terms looked for, by their lengths: time is at most that of all lengths there.
 */
export function createTermFinder(terms: readonly string[]): (text: string) => FoundTerm[] {
  const indexByTerm = new Map<string, number>();
  const lengthsByPrefix = new Map<string, Set<number>>();
  for (const [index, term] of terms.entries()) {
    // A letter and its accent may be one character of a text or two.
    for (const form of [term, term.normalize('NFC'), term.normalize('NFD')]) {
      const folded = foldUnits(form);
      if (folded.length === 0 || indexByTerm.has(folded)) continue;
      indexByTerm.set(folded, index);
      const prefix = folded.slice(0, PREFIX_LENGTH);
      const lengths = lengthsByPrefix.get(prefix) ?? new Set();
      lengthsByPrefix.set(prefix, lengths.add(folded.length));
    }
  }
  if (indexByTerm.size === 0) return () => [];
  const prefixLengths = new Set([...lengthsByPrefix.keys()].map(({ length }) => length));

  function findAt(text: string, folded: string, start: number): FoundTerm[] {
    const found: FoundTerm[] = [];
    for (const prefixLength of prefixLengths) {
      for (const length of lengthsByPrefix.get(folded.slice(start, start + prefixLength)) ?? []) {
        const index = indexByTerm.get(folded.slice(start, start + length));
        if (index !== undefined && !isInside(text, start + length))
          found.push({ start, end: start + length, index });
      }
    }
    return found;
  }

  return (text) => {
    const folded = foldUnits(text);
    const found: FoundTerm[] = [];
    for (let start = 0; start < text.length; start += 1) {
      if (isInside(text, start)) continue;
      for (const one of findAt(text, folded, start)) found.push(one);
    }
    return found;
  };
}

/** Lower case, unit by unit, so that offsets stay: a letter whose lower case is longer stays. */
function foldUnits(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, at) => {
    const one = text.charAt(at).toLowerCase();
    return one.length === 1 ? one : text.charAt(at);
  }).join('');
}

const WORD_UNIT = /[\p{L}\p{M}\p{N}_]/u;

/** Whether a word goes on at `at`. An end of a term that is punctuation needs no boundary. */
function isInside(text: string, at: number): boolean {
  return (
    at > 0 &&
    at < text.length &&
    WORD_UNIT.test(text.charAt(at - 1)) &&
    WORD_UNIT.test(text.charAt(at))
  );
}

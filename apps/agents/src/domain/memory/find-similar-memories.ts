import { compareKeys } from './memory.ts';
import type { Memory } from './memory.ts';
import { toWords } from './to-words.ts';

/** Two memories that may be one; which is right is for the agent to say. */
export type SimilarMemories = { memory: Memory; similarTo: Memory };

/** From here on two values are near duplicates (C4). */
const SIMILARITY_MIN = 0.9;

/**
 * Of each changed memory the one that says nearly the same under another key, if there is one: of
 * the same type, and the likest, the first key among equals. Nothing is merged.
 */
export function findSimilarMemories(
  changed: readonly Memory[],
  all: readonly Memory[],
): SimilarMemories[] {
  // What a session has not changed, as most have not, takes no time.
  if (changed.length === 0) return [];
  const types = new Set(changed.map(({ type }) => type));
  const known = all
    .filter(({ type }) => types.has(type))
    .toSorted(compareKeys)
    .map((memory) => ({ memory, words: toWords(memory.value) }));
  return changed.flatMap((memory) => {
    const words = new Set(toWords(memory.value));
    let highest = SIMILARITY_MIN;
    let similarTo: Memory | undefined;
    for (const other of known) {
      if (!mayBeOne(memory, other.memory)) continue;
      const similarity = similarityOf(other.words, words);
      if (similarity < highest || (similarity === highest && similarTo)) continue;
      highest = similarity;
      similarTo = other.memory;
    }
    return similarTo ? [{ memory, similarTo }] : [];
  });
}

/** The share of their words that both have; 0 when their numbers tell that they are not alike. */
function similarityOf(one: readonly number[], other: ReadonlySet<number>): number {
  const [few, many] = [Math.min(one.length, other.size), Math.max(one.length, other.size)];
  if (few < SIMILARITY_MIN * many) return 0;
  const both = one.filter((word) => other.has(word)).length;
  return both === 0 ? 0 : both / (few + many - both);
}

const mayBeOne = (one: Memory, other: Memory): boolean =>
  one.type === other.type && one.keyNorm !== other.keyNorm;

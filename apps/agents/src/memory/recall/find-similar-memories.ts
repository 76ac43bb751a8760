import { compareKeys } from '../memory.ts';
import type { Memory } from '../memory.ts';
import { toWords } from './to-words.ts';
import { escapeBlockMarkers, toOneLine } from '../../prompt/to-one-line.ts';
import { escapeMemoryTags } from '../tags/undo-escapes.ts';

type SimilarMemories = { memory: Memory; similarTo: Memory };

const SIMILARITY_MIN = 0.9;

/**
 * Returns, for each changed memory, the most similar memory of the same type under another key, if
 * it is similar enough; of equally similar ones, the first by key. Memories are not merged, because
 * that is the agent's decision.
 */
export function findSimilarMemories(
  changed: readonly Memory[],
  all: readonly Memory[],
): SimilarMemories[] {
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
      if (!mayBeDuplicates(memory, other.memory)) continue;
      const similarity = similarityOf(other.words, words);
      if (similarity < highest || (similarity === highest && similarTo)) continue;
      highest = similarity;
      similarTo = other.memory;
    }
    return similarTo ? [{ memory, similarTo }] : [];
  });
}

function similarityOf(one: readonly number[], other: ReadonlySet<number>): number {
  const [smaller, larger] = [Math.min(one.length, other.size), Math.max(one.length, other.size)];
  if (smaller < SIMILARITY_MIN * larger) return 0;
  const shared = one.filter((word) => other.has(word)).length;
  return shared === 0 ? 0 : shared / (smaller + larger - shared);
}

const mayBeDuplicates = (one: Memory, other: Memory): boolean =>
  one.type === other.type && one.keyNorm !== other.keyNorm;

export const describeSimilar = (pairs: readonly SimilarMemories[]): string =>
  pairs.length === 0
    ? ''
    : [
        'You may have noted the same thing under two keys; if so, write it under one of them:',
        ...pairs.map(
          ({ memory, similarTo }) => `- ${toData(memory.key)} is like ${toData(similarTo.key)}`,
        ),
      ].join('\n');

const toData = (key: string): string => escapeMemoryTags(escapeBlockMarkers(toOneLine(key))).trim();

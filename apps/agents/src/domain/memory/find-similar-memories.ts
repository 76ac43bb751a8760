import { createLikenessIndex } from './create-likeness-index.ts';
import { compareKeys } from './memory.ts';
import type { Memory } from './memory.ts';

/** Two memories that may be one; which is right is for the agent to say. */
export type SimilarMemories = { memory: Memory; similarTo: Memory };

/** From here on two values are near duplicates (C4). */
const ALIKE = 0.9;

/**
 * Of each changed memory the one that says nearly the same under another key, if there is one: of
 * the same type, and the likest, the first key among equals. Nothing is merged.
 */
export function findSimilarMemories(
  changed: readonly Memory[],
  all: readonly Memory[],
): SimilarMemories[] {
  const known = all.toSorted(compareKeys);
  const index = createLikenessIndex(known.map(({ value }) => value));
  return changed.flatMap((memory) => {
    let highest = 0;
    let first = known.length;
    index.visitAlike(memory.value, (place, likeness) => {
      if (likeness < ALIKE || likeness < highest || !mayBeOne(memory, known[place]!)) return;
      first = likeness > highest ? place : Math.min(first, place);
      highest = likeness;
    });
    const similarTo = known[first];
    return similarTo ? [{ memory, similarTo }] : [];
  });
}

const mayBeOne = (one: Memory, other: Memory): boolean =>
  one.type === other.type && one.keyNorm !== other.keyNorm;

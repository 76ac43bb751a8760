import { createSimilarityIndex } from './create-similarity-index.ts';
import type { SimilarityIndex } from './create-similarity-index.ts';
import { compareKeys } from '../memory.ts';
import type { Memory } from '../memory.ts';
import { toWords } from './to-words.ts';

type RecallCandidate = {
  memory: Memory;
  minTokens: number;
  tokensOf: (memory: Memory) => number;
  isMandatory: boolean;
  score: number;
};

/**
 * Weight of the score in maximal marginal relevance (its lambda); similarity to picked memories has
 * the rest of the weight.
 */
const SCORE_SHARE = 0.7;

/**
 * Picks memories by marginal relevance per token until none fits the budget. Mandatory ones come
 * first; of equal ones, the latest changed, then the first by key. A pick can only lower the
 * marginal relevance of others, so an outdated value is an upper bound: only the head of the queue
 * is re-evaluated, against the memories picked since its last evaluation.
 */
export function pickDiverse(
  candidates: readonly RecallCandidate[],
  budgetTokens: number,
): ReadonlySet<Memory> {
  const picked = createSimilarityIndex();
  const chosen = new Set<Memory>();
  let tokensLeft = budgetTokens;
  const queue = createPriorityQueue(compareEntries);
  for (const candidate of candidates) queue.push(toEntry(candidate));
  for (let best = queue.pop(); best !== undefined; best = queue.pop()) {
    if (best.minTokens > tokensLeft) continue;
    best.tokens ??= best.tokensOf(best.memory);
    if (best.tokens > tokensLeft) continue;
    if (lowerGain(best, picked)) {
      queue.push(best);
      continue;
    }
    chosen.add(best.memory);
    tokensLeft -= best.tokens;
    picked.add((best.words ??= wordsOf(best)));
  }
  return chosen;
}

type Entry = RecallCandidate & {
  gainPerToken: number;
  tokens: number | undefined;
  words: readonly number[] | undefined;
  similarity: number;
  compared: number;
};

const toEntry = (candidate: RecallCandidate): Entry => ({
  ...candidate,
  gainPerToken: (SCORE_SHARE * candidate.score) / Math.max(1, candidate.minTokens),
  tokens: undefined,
  words: undefined,
  similarity: 0,
  compared: 0,
});

const wordsOf = ({ memory }: Entry): readonly number[] => toWords(`${memory.key} ${memory.value}`);

function lowerGain(entry: Entry, picked: SimilarityIndex): boolean {
  if (entry.compared < picked.size()) {
    entry.words ??= wordsOf(entry);
    const similarity = picked.similarityOf(entry.words, entry.compared);
    entry.similarity = Math.max(entry.similarity, similarity);
    entry.compared = picked.size();
  }
  const before = entry.gainPerToken;
  const gain = SCORE_SHARE * entry.score - (1 - SCORE_SHARE) * entry.similarity;
  entry.gainPerToken = gain / Math.max(1, entry.tokens ?? entry.minTokens);
  return entry.gainPerToken < before;
}

/**
 * Compares by being mandatory, gain per token, latest change, key and id. This is a total order, so
 * that the choice is deterministic.
 */
function compareEntries(one: Entry, other: Entry): number {
  if (one.isMandatory !== other.isMandatory) return one.isMandatory ? -1 : 1;
  if (one.gainPerToken !== other.gainPerToken) return other.gainPerToken - one.gainPerToken;
  const changed = other.memory.updatedAt.getTime() - one.memory.updatedAt.getTime();
  return changed === 0 ? compareKeys(one.memory, other.memory) : changed;
}

/**
 * Creates a priority queue on a binary heap; `pop` returns the entry that `compare` sorts first.
 */
export function createPriorityQueue<T>(compare: (one: T, other: T) => number) {
  const heap: T[] = [];
  const precedes = (one: number, other: number): boolean => compare(heap[one]!, heap[other]!) < 0;
  const swap = (one: number, other: number): void => {
    [heap[one], heap[other]] = [heap[other]!, heap[one]!];
  };

  return {
    push(entry: T): void {
      let index = heap.push(entry) - 1;
      for (let parent = (index - 1) >> 1; index > 0 && precedes(index, parent);) {
        swap(index, parent);
        index = parent;
        parent = (index - 1) >> 1;
      }
    },
    pop(): T | undefined {
      if (heap.length < 2) return heap.pop();
      const best = heap[0];
      heap[0] = heap.pop()!;
      for (let index = 0; ;) {
        const [left, right] = [2 * index + 1, 2 * index + 2];
        let top = index;
        if (left < heap.length && precedes(left, top)) top = left;
        if (right < heap.length && precedes(right, top)) top = right;
        if (top === index) return best;
        swap(index, top);
        index = top;
      }
    },
  };
}

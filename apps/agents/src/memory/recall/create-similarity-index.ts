export type SimilarityIndex = {
  size(): number;
  add(words: readonly number[]): void;
  /**
   * Returns the highest Jaccard similarity of `words` to a text added at index `fromIndex` or
   * later. The result may be too low if a word occurs in more than `COMPARED_MAX` texts.
   */
  similarityOf(words: readonly number[], fromIndex: number): number;
};

/**
 * Maximum number of texts that are compared per shared word, latest first. Comparing thousands of
 * texts with the same beginning would take seconds.
 */
const COMPARED_MAX = 32;

/**
 * Creates an inverted index from words to texts, so that a query visits only texts that share a
 * word with it, which is faster than comparing all pairs.
 */
export function createSimilarityIndex(): SimilarityIndex {
  const indexesOf = new Map<number, number[]>();
  const sizes: number[] = [];
  const shared: number[] = [];

  return {
    size: () => sizes.length,
    add(words) {
      const index = sizes.push(words.length) - 1;
      shared.push(0);
      for (const word of words) {
        const indexes = indexesOf.get(word);
        if (indexes) indexes.push(index);
        else indexesOf.set(word, [index]);
      }
    },
    similarityOf(words, fromIndex) {
      let highest = 0;
      const touchedIndexes: number[] = [];
      for (const word of words) {
        const indexes = indexesOf.get(word);
        if (!indexes) continue;
        const end = Math.max(0, indexes.length - COMPARED_MAX);
        for (let at = indexes.length - 1; at >= end; at -= 1) {
          const index = indexes[at]!;
          if (index < fromIndex) break;
          if (shared[index] === 0) touchedIndexes.push(index);
          const sharedCount = (shared[index]! += 1);
          const similarity = sharedCount / (words.length + sizes[index]! - sharedCount);
          if (similarity > highest) highest = similarity;
        }
      }
      for (const index of touchedIndexes) shared[index] = 0;
      return highest;
    },
  };
}

/** Picked texts, by their words (`toWords`). */
export type SimilarityIndex = {
  size(): number;
  add(words: readonly number[]): void;
  /**
   * Returns the highest Jaccard similarity, 0 to 1, to a text added at index `since` or later. For
   * a word that occurs in more than 32 texts only the last 32 are compared, so that the result may
   * be too low, never too high.
   */
  similarityOf(words: readonly number[], since: number): number;
};

/**
 * Most texts compared per shared word, the latest ones: the others are about as similar, and
 * comparing thousands with a common beginning would take seconds.
 */
const COMPARED_MAX = 32;

/**
 * Creates an inverted index over words. A query costs the number of shared occurrences, far less
 * than pairwise comparison.
 */
export function createSimilarityIndex(): SimilarityIndex {
  const indexesOf = new Map<number, number[]>();
  const sizes: number[] = [];
  /** Scratch counts of shared words by text; all 0 between queries. */
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
    similarityOf(words, since) {
      let likest = 0;
      const touched: number[] = [];
      for (const word of words) {
        const indexes = indexesOf.get(word);
        if (!indexes) continue;
        // Indexes ascend: the last ones are compared.
        const end = Math.max(0, indexes.length - COMPARED_MAX);
        for (let at = indexes.length - 1; at >= end; at -= 1) {
          const index = indexes[at]!;
          if (index < since) break;
          if (shared[index] === 0) touched.push(index);
          const both = (shared[index]! += 1);
          const similarity = both / (words.length + sizes[index]! - both);
          if (similarity > likest) likest = similarity;
        }
      }
      for (const index of touched) shared[index] = 0;
      return likest;
    },
  };
}

/** Texts that were picked, by their words (`toWords`). */
export type SimilarityIndex = {
  /** How many there are. */
  size(): number;
  add(words: readonly number[]): void;
  /**
   * The likeness to the likest of those that were added from place `since` on: the share that two
   * texts have of all words that either has, 0 to 1. Of a word that more than 32 of them have the
   * last 32 count: it may come out lower then, never higher.
   */
  similarityOf(words: readonly number[], since: number): number;
};

/**
 * Texts of hundreds that have a word in common, to which one more is compared, the latest: some are
 * as like it as the others, and thousands that begin alike would take seconds.
 */
const COMPARED_MAX = 32;

/**
 * An index of the words of some texts. A question costs what its words occur in the texts that it
 * looks at, which is far less than to compare each text with it.
 */
export function createSimilarityIndex(): SimilarityIndex {
  const indexesOf = new Map<number, number[]>();
  const sizes: number[] = [];
  /** Words in common with the text of a question; all 0 between questions. */
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
        // They ascend: those that are looked at are the last ones.
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

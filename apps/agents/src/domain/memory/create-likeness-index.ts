import { foldText } from './memory-key.ts';

/** Many texts, to find those that are like one of them. */
export type LikenessIndex = {
  /**
   * Visits every text that shares a word with this one, by its place in the list: `likeness` is the
   * share that both have of all words that either has, above 0 and at most 1.
   */
  visitAlike(text: string, visit: (place: number, likeness: number) => void): void;
};

/**
 * An index of the words of some texts, in any script and without case. A visit costs what its words
 * occur in the texts, which is far less than to compare each text with it.
 */
export function createLikenessIndex(texts: readonly string[]): LikenessIndex {
  const placesOf = new Map<string, number[]>();
  const sizes = texts.map((text, place) => {
    const words = toWordSet(text);
    for (const word of words) {
      const places = placesOf.get(word);
      if (places) places.push(place);
      else placesOf.set(word, [place]);
    }
    return words.size;
  });
  const shared = new Int32Array(texts.length);

  return {
    visitAlike(text, visit) {
      const words = toWordSet(text);
      const touched: number[] = [];
      for (const word of words) {
        for (const place of placesOf.get(word) ?? []) {
          if (shared[place] === 0) touched.push(place);
          shared[place]! += 1;
        }
      }
      for (const place of touched) {
        const both = shared[place]!;
        shared[place] = 0;
        visit(place, both / (words.size + sizes[place]! - both));
      }
    },
  };
}

const toWordSet = (text: string): ReadonlySet<string> => new Set(foldText(text).match(WORD) ?? []);

const WORD = /[\p{L}\p{M}\p{N}]+/gu;

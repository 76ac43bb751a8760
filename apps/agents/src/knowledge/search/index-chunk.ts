import { baseOf, isLong, splitWords } from './split-words.ts';

type IndexedChunk = {
  lexemes: string[];
  /** For each base, the number of `TIERS` that its count in chunk and title reaches; at least 1. */
  tiers: ReadonlyMap<string, number>;
  wordCount: number;
};

/**
 * Tiers by how often a base occurs in a chunk. `mark` is appended to the base to form the tier's
 * lexeme, with which a search for a common word finds just the chunks that repeat it; all chunks
 * with the word would be too many to rank.
 */
export const TIERS = [
  { mark: '', times: 1 },
  { mark: '^3', times: 3 },
  { mark: '^6', times: 6 },
] as const;

export const indexChunk = (text: string, title: readonly string[]): IndexedChunk => {
  const words = splitWords(text);
  const counts = new Map<string, number>();
  const long = new Set<string>();
  for (const word of words) add(counts, long, word);
  // Words of the title are indexed with every chunk, so that they find all chunks of the document.
  for (const word of title) add(counts, long, word);
  const lexemes = [...long];
  const tiers = new Map<string, number>();
  for (const [base, count] of counts) {
    let tier = 0;
    for (const { mark, times } of TIERS) {
      if (count < times) break;
      lexemes.push(base + mark);
      tier += 1;
    }
    tiers.set(base, tier);
  }
  return { lexemes, tiers, wordCount: words.length };
};

const add = (counts: Map<string, number>, long: Set<string>, word: string): void => {
  const base = baseOf(word);
  counts.set(base, (counts.get(base) ?? 0) + 1);
  if (isLong(word)) long.add(word);
};

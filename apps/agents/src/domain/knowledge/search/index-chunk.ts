import { baseOf, isLong, splitWords } from './split-words.ts';

/** A chunk as the index has it. */
export type IndexedChunk = {
  /** What it can be found by; each once. */
  lexemes: string[];
  /** In how many tiers each base is, from 1. */
  tiers: ReadonlyMap<string, number>;
  /** Words in it, the title's not counted. */
  wordCount: number;
};

/**
 * Marks of bases that stand in a chunk several times. What a common word is about is found by them:
 * all chunks that have the word are too many to be looked at.
 */
export const TIERS = [
  { mark: '', times: 1 },
  { mark: '^3', times: 3 },
  { mark: '^6', times: 6 },
] as const;

/** What a chunk of a document with this title can be found by: bases, marks of them, long words. */
export const indexChunk = (text: string, title: readonly string[]): IndexedChunk => {
  const words = splitWords(text);
  const counts = new Map<string, number>();
  const long = new Set<string>();
  for (const word of words) add(counts, long, word);
  // Its words find every chunk of a document.
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

import { baseOf, splitWords } from './split-words.ts';
import type { Term } from './term.ts';

type RankedText = { id: string; title: string; text: string };

/**
 * Usual parameters of BM25: `SATURATION` limits the effect of repetitions, `B` sets how much the
 * length of a text matters.
 */
const SATURATION = 1.2;
const B = 0.75;
/** Weight of an exact match of a word, relative to the match of its base; both are added. */
const EXACT_SHARE = 0.3;
/**
 * Weight of two query words that are close together both in the query and in the text, relative to
 * the weight of the more common word.
 */
const ADJACENT_SHARE = 0.3;
const ADJACENT_DISTANCE_MAX = 3;

/**
 * Ranks chunks by BM25 over the bases of words, with additions for exact matches and for query
 * words that are close together. A word of the title counts as one more occurrence. Scores are from
 * 0 to 1, relative to the maximum for these terms.
 */
export const rankChunks = (
  candidates: readonly RankedText[],
  terms: readonly Term[],
  averageWords: number,
): ReadonlyMap<string, number> => {
  const countTerms = createTermCounter(terms);
  const maxScore = terms.reduce(
    (sum, { weight }) => sum + weight * (1 + EXACT_SHARE) * (SATURATION + 1),
    0,
  );
  return new Map(
    candidates.map(({ id, title, text }) => {
      const words = splitWords(text);
      const { exactCounts, baseCounts, adjacentWeight } = countTerms(words, splitWords(title));
      const norm = SATURATION * (1 - B + (B * words.length) / Math.max(averageWords, 1));
      const saturate = (count: number): number => (count * (SATURATION + 1)) / (count + norm);
      let score = ADJACENT_SHARE * adjacentWeight;
      for (const [index, { weight }] of terms.entries()) {
        score += weight * saturate(baseCounts[index]!);
        score += EXACT_SHARE * weight * saturate(exactCounts[index]!);
      }
      return [id, Math.min(1, score / maxScore)];
    }),
  );
};

type TermCounts = { exactCounts: number[]; baseCounts: number[]; adjacentWeight: number };

const createTermCounter = (terms: readonly Term[]) => {
  const byBase = Map.groupBy(terms.keys(), (index) => terms[index]!.base);
  const predecessors = terms.map(({ word, follows }) =>
    [...terms.keys()].filter((index) => {
      const other = terms[index]!.word;
      return other !== word && follows.has(other);
    }),
  );
  const termsOf = new Map<string, readonly number[]>();
  const find = (word: string): readonly number[] => {
    let found = termsOf.get(word);
    if (!found) termsOf.set(word, (found = byBase.get(baseOf(word)) ?? NO_TERMS));
    return found;
  };
  return (words: readonly string[], title: readonly string[]): TermCounts => {
    const found: TermCounts = {
      exactCounts: terms.map(() => 0),
      baseCounts: terms.map(() => 0),
      adjacentWeight: 0,
    };
    const lastPositions = terms.map(() => -Infinity);
    const seen = new Set<number>();
    const count = (word: string, index: number): void => {
      found.baseCounts[index]! += 1;
      if (terms[index]!.word === word) found.exactCounts[index]! += 1;
    };
    for (const word of title) for (const index of find(word)) count(word, index);
    for (const [position, word] of words.entries()) {
      for (const index of find(word)) {
        count(word, index);
        for (const other of predecessors[index]!) {
          const pair = other * terms.length + index;
          if (position - lastPositions[other]! > ADJACENT_DISTANCE_MAX || seen.has(pair)) continue;
          seen.add(pair);
          found.adjacentWeight += Math.min(terms[other]!.weight, terms[index]!.weight);
        }
        lastPositions[index] = position;
      }
    }
    return found;
  };
};

const NO_TERMS: readonly number[] = [];

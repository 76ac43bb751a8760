import type { Ranking } from '../../memory/fuse-ranks.ts';
import { baseOf, splitWords } from './split-words.ts';
import type { Term } from './term.ts';

export type RankedText = { id: string; title: string; text: string };

/** Usual BM25 parameters: saturation of repetitions, and weight of the length. */
const K1 = 1.2;
const B = 0.75;
/** Weight of an exact match, relative to that of its base and in addition to it. */
const WORD_SHARE = 0.3;
/** Weight of adjacent query words that are also adjacent in the text, relative to the rarer one. */
const TOGETHER_SHARE = 0.3;
const NEAR = 3;

/**
 * Ranks with BM25 over bases, plus shares for exact forms and for words adjacent as in the query. A
 * word of the title counts as one more occurrence. Scores are from 0 to 1, as a share of the
 * maximum for these terms.
 */
export const rankChunks = (
  candidates: readonly RankedText[],
  terms: readonly Term[],
  averageWords: number,
): Ranking => {
  const read = createReader(terms);
  const most = terms.reduce((sum, { weight }) => sum + weight * (1 + WORD_SHARE) * (K1 + 1), 0);
  return new Map(
    candidates.map(({ id, title, text }) => {
      const words = splitWords(text);
      const { asWritten, asBase, together } = read(words, splitWords(title));
      const norm = K1 * (1 - B + (B * words.length) / Math.max(averageWords, 1));
      const saturate = (count: number): number => (count * (K1 + 1)) / (count + norm);
      let score = TOGETHER_SHARE * together;
      for (const [index, { weight }] of terms.entries()) {
        score += weight * saturate(asBase[index]!);
        score += WORD_SHARE * weight * saturate(asWritten[index]!);
      }
      return [id, Math.min(1, score / most)];
    }),
  );
};

type Found = { asWritten: number[]; asBase: number[]; together: number };

const createReader = (terms: readonly Term[]) => {
  const byBase = Map.groupBy(terms.keys(), (index) => terms[index]!.base);
  const before = terms.map(({ word, follows }) =>
    [...terms.keys()].filter((index) => {
      const other = terms[index]!.word;
      return other !== word && follows.has(other);
    }),
  );
  const termsOf = new Map<string, readonly number[]>();
  const find = (word: string): readonly number[] => {
    let found = termsOf.get(word);
    if (!found) termsOf.set(word, (found = byBase.get(baseOf(word)) ?? NONE));
    return found;
  };
  return (words: readonly string[], title: readonly string[]): Found => {
    const found: Found = { asWritten: terms.map(() => 0), asBase: terms.map(() => 0), together: 0 };
    const lastAt = terms.map(() => -Infinity);
    const seen = new Set<number>();
    const count = (word: string, index: number): void => {
      found.asBase[index]! += 1;
      if (terms[index]!.word === word) found.asWritten[index]! += 1;
    };
    for (const word of title) for (const index of find(word)) count(word, index);
    for (let at = 0; at < words.length; at += 1) {
      const word = words[at]!;
      for (const index of find(word)) {
        count(word, index);
        for (const other of before[index]!) {
          const pair = other * terms.length + index;
          if (at - lastAt[other]! > NEAR || seen.has(pair)) continue;
          seen.add(pair);
          found.together += Math.min(terms[other]!.weight, terms[index]!.weight);
        }
        lastAt[index] = at;
      }
    }
    return found;
  };
};

const NONE: readonly number[] = [];

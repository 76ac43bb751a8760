import { FUNCTION_WORDS } from './function-words.ts';
import { baseOf, splitWords } from './split-words.ts';

type QueryWord = {
  word: string;
  base: string;
  count: number;
  /** Words that precede this word in the query by at most `NEIGHBOUR_DISTANCE_MAX` positions. */
  follows: ReadonlySet<string>;
};

export type Term = QueryWord & { weight: number };

export type BaseCount = {
  base: string;
  sourceNo: number;
  chunks: number;
  /**
   * Number of chunks with at least three occurrences; `sixTimes` counts those with at least six.
   */
  thrice: number;
  sixTimes: number;
};

export type BaseCounts = ReadonlyMap<string, readonly BaseCount[]>;

const QUERY_WORDS_MAX = 64;
const SEARCHED_TERMS_MAX = 16;
/** Share of the highest weight below which words are ignored. */
const MIN_WEIGHT_SHARE = 0.08;
/** Greatest distance in a query, in words, at which one word counts as following another. */
const NEIGHBOUR_DISTANCE_MAX = 2;

/**
 * Returns the distinct words of a query; function words only if there are no others. If there are
 * too many, the longest and those with a digit are preferred, which tend to be the rarest.
 */
export const readQuery = (text: string): QueryWord[] => {
  const all = splitWords(text);
  const allPositions = [...all.keys()];
  const significant = allPositions.filter((position) => !FUNCTION_WORDS.has(all[position]!));
  return [
    ...Map.groupBy(
      significant.length > 0 ? significant : allPositions,
      (position) => all[position]!,
    ),
  ]
    .map(([word, positions]) => ({
      word,
      base: baseOf(word),
      count: positions.length,
      follows: new Set(
        positions.flatMap((position) =>
          all.slice(Math.max(0, position - NEIGHBOUR_DISTANCE_MAX), position),
        ),
      ),
    }))
    .sort((a, b) => significance(b.word) - significance(a.word))
    .slice(0, QUERY_WORDS_MAX);
};

/**
 * Returns how specific a word probably is, for choosing among too many. Words with a digit score
 * higher, because numbers are specific even when short.
 */
const significance = (word: string): number => word.length + (/\d/.test(word) ? 4 : 0);

export const toCounts = (rows: readonly BaseCount[]): BaseCounts =>
  Map.groupBy(rows, ({ base }) => base);

export const chunksWith = (counts: BaseCounts, base: string): number =>
  (counts.get(base) ?? []).reduce((sum, { chunks }) => sum + chunks, 0);

/**
 * Returns the most informative query words, highest weight first. The weight is BM25's inverse
 * document frequency, raised for words repeated in the query. Words in no chunk are dropped, and so
 * are words whose weight is below 8 % of the highest.
 */
export const chooseTerms = (
  words: readonly QueryWord[],
  counts: BaseCounts,
  chunkCount: number,
): Term[] => {
  const terms = words
    .map((word): Term => {
      const chunks = Math.min(chunksWith(counts, word.base), chunkCount);
      if (chunks === 0) return { ...word, weight: 0 };
      const rarity = Math.log(1 + (chunkCount - chunks + 0.5) / (chunks + 0.5));
      return { ...word, weight: rarity * (1 + Math.log(word.count)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, SEARCHED_TERMS_MAX);
  const minWeight = MIN_WEIGHT_SHARE * (terms[0]?.weight ?? 0);
  return terms.filter(({ weight }) => weight >= minWeight);
};

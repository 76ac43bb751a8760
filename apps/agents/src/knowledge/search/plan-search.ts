import { TIERS } from './index-chunk.ts';
import { isLong } from './split-words.ts';
import { chunksWith } from './term.ts';
import type { BaseCounts, Term } from './term.ts';

/**
 * Condition on a chunk: it contains all lexemes of `all` and, unless `any` is empty, at least one
 * of `any`.
 */
export type Clause = { all: readonly string[]; any: readonly string[] };

export type SearchPlan = {
  /**
   * Clauses whose matching chunks all become candidates. A chunk gets the sum of the weights of the
   * clauses that it matches.
   */
  complete: { clause: Clause; weight: number }[];
  /**
   * Clauses of whose matching chunks at most `limit` become candidates. A chunk gets the highest
   * weight of the clauses that it matches.
   */
  sampled: { clause: Clause; weight: number; limit: number }[];
};

const RARE_CHUNKS_MAX = 600;
/** Number of chunks that are sampled per clause. */
const SAMPLE_SIZE = 100;
/**
 * Preferred maximum number of chunks with the first lexeme of a clause, because all of them are
 * scanned.
 */
const SCANNED_CHUNKS_MAX = 5_000;
const COMBINED_WORDS_MAX = 4;
/** Maximum number of common words that are searched for in pairs and each alone. */
const PAIRED_WORDS_MAX = 3;

/**
 * Plans a search with bounded cost. The GIN index returns all chunks with a lexeme, unordered, so a
 * search cannot read only the best of them. Chunks with rare words all become candidates,
 * `RARE_CHUNKS_MAX` at most. Chunks with common words only are sampled by clauses that the best of
 * them match: they contain several of these words, repeat one of them, or contain a long word in
 * its exact form. All chunks with the first lexeme of a clause of several words are scanned, so one
 * is chosen that occurs in at most `SCANNED_CHUNKS_MAX` chunks, if there is one.
 */
export const planSearch = (terms: readonly Term[], counts: BaseCounts): SearchPlan => {
  const rare = chooseRare(terms, counts);
  const common = terms
    .filter(({ base }) => !rare.includes(base))
    .sort((a, b) => chunksWith(counts, a.base) - chunksWith(counts, b.base));
  return { complete: toComplete(terms, rare), sampled: toSampled(common, counts) };
};

/** Returns the rarest bases that together occur in at most `RARE_CHUNKS_MAX` chunks. */
const chooseRare = (terms: readonly Term[], counts: BaseCounts): string[] => {
  const bases = [...new Set(terms.map(({ base }) => base))]
    .map((base) => ({ base, chunks: chunksWith(counts, base) }))
    .sort((a, b) => a.chunks - b.chunks);
  let sum = 0;
  return bases.filter(({ chunks }) => (sum += chunks) <= RARE_CHUNKS_MAX).map(({ base }) => base);
};

/**
 * Returns one clause per query word, so that each word adds its weight. A common word must occur
 * together with a rare one, which is fast, because GIN skips through long lists.
 */
const toComplete = (terms: readonly Term[], rare: readonly string[]): SearchPlan['complete'] => {
  if (rare.length === 0) return [];
  return terms.map(({ base, weight }) => ({
    clause: { all: [base], any: rare.includes(base) ? [] : rare },
    weight,
  }));
};

const toSampled = (common: readonly Term[], counts: BaseCounts): SearchPlan['sampled'] => {
  const combinedWords = common.slice(0, COMBINED_WORDS_MAX);
  const pairedWords = common.slice(0, PAIRED_WORDS_MAX);
  const pairs = pairedWords.flatMap((pairedWord, index) =>
    pairedWords.slice(index + 1).map((other) => [pairedWord, other]),
  );
  const groups = combinedWords.length > 2 ? [combinedWords, ...pairs] : pairs;
  const long = common.filter(({ word }) => isLong(word)).slice(0, COMBINED_WORDS_MAX);
  return [
    ...groups.map((group) => ({
      clause: {
        all: group.map((term, index) => leadingLexeme(term, counts, index === 0)),
        any: [],
      },
      weight: group.reduce((sum, { weight }) => sum + weight, 0),
      limit: SAMPLE_SIZE,
    })),
    ...long.map(({ word, weight }) => ({
      clause: { all: [word], any: [] },
      weight: 2 * weight,
      limit: SAMPLE_SIZE,
    })),
    ...pairedWords.map(({ base, weight }) => {
      const tier = highestTier(base, counts);
      return {
        clause: { all: [base + TIERS[tier]!.mark], any: [] },
        weight: weight * (1 + tier / TIERS.length),
        limit: SAMPLE_SIZE,
      };
    }),
  ];
};

/**
 * Returns the lexeme of a word in a clause: its base, or for the first word, which is the rarest,
 * the lowest tier with few enough chunks to scan, otherwise the highest tier.
 */
const leadingLexeme = ({ base }: Term, counts: BaseCounts, isLeading: boolean): string => {
  if (!isLeading) return base;
  const fitting = TIERS.find((_, tier) => chunksInTier(counts, base, tier) <= SCANNED_CHUNKS_MAX);
  return base + (fitting ?? TIERS.at(-1)!).mark;
};

/** Returns the highest tier of a base that has enough chunks for a sample; 0 if none has. */
const highestTier = (base: string, counts: BaseCounts): number => {
  let tier = TIERS.length - 1;
  while (tier > 0 && chunksInTier(counts, base, tier) < SAMPLE_SIZE) tier -= 1;
  return tier;
};

const chunksInTier = (counts: BaseCounts, base: string, tier: number): number =>
  (counts.get(base) ?? []).reduce(
    (sum, { chunks, thrice, sixTimes }) => sum + [chunks, thrice, sixTimes][tier]!,
    0,
  );

import { TIERS } from './index-chunk.ts';
import { isLong } from './split-words.ts';
import { chunksWith } from './term.ts';
import type { BaseCounts, Term } from './term.ts';

/** Chunks with all of these lexemes and, if `any` names some, one of those. */
export type Clause = { all: readonly string[]; any: readonly string[] };

/** What candidates are found by. */
export type SearchPlan = {
  /** Everything that is found counts; what several find counts by the sum of their weights. */
  complete: { clause: Clause; weight: number }[];
  /** Of too much some is taken, and counts by the best that found it. */
  sampled: { clause: Clause; weight: number; limit: number }[];
};

/** Chunks with a rare word, which are all looked at. */
const COMPLETE_MAX = 600;
/** Chunks that a clause of common words adds. */
const SAMPLE = 100;
/** The shortest list of a clause, which is walked from end to end, has no more if it can be. */
const WALKED_MAX = 5_000;
/** Common words that are looked for together. */
const TOGETHER_MAX = 4;
/** Of these every two, and each alone. */
const APART_MAX = 3;

/**
 * How to find candidates at a bounded cost. GIN answers all chunks with a lexeme, in no order, so
 * the rare bases come first: all of their chunks, as long as these are no more than 600 together. A
 * chunk that has none of them has common words alone, and only the best of those can compete: the
 * ones that have several of them, or one of them often, or a long word as it was written. Those are
 * found by conjunctions and by the marks of repeated words, led by a list that is short enough to
 * walk.
 */
export const planSearch = (terms: readonly Term[], counts: BaseCounts): SearchPlan => {
  const rare = chooseRare(terms, counts);
  const common = terms
    .filter(({ base }) => !rare.includes(base))
    .sort((a, b) => chunksWith(counts, a.base) - chunksWith(counts, b.base));
  return { complete: toComplete(terms, rare), sampled: toSampled(common, counts) };
};

/** Bases from the rarest on, for as long as their chunks are few enough together. */
const chooseRare = (terms: readonly Term[], counts: BaseCounts): string[] => {
  const bases = [...new Set(terms.map(({ base }) => base))]
    .map((base) => ({ base, chunks: chunksWith(counts, base) }))
    .sort((a, b) => a.chunks - b.chunks);
  let sum = 0;
  return bases.filter(({ chunks }) => (sum += chunks) <= COMPLETE_MAX).map(({ base }) => base);
};

/** One clause a word, so that each adds its weight; GIN skips through the lists of common ones. */
const toComplete = (terms: readonly Term[], rare: readonly string[]): SearchPlan['complete'] => {
  if (rare.length === 0) return [];
  return terms.map(({ base, weight }) => ({
    clause: { all: [base], any: rare.includes(base) ? [] : rare },
    weight,
  }));
};

const toSampled = (common: readonly Term[], counts: BaseCounts): SearchPlan['sampled'] => {
  const together = common.slice(0, TOGETHER_MAX);
  const apart = common.slice(0, APART_MAX);
  const pairs = apart.flatMap((one, index) => apart.slice(index + 1).map((other) => [one, other]));
  const groups = together.length > 2 ? [together, ...pairs] : pairs;
  const long = common.filter(({ word }) => isLong(word)).slice(0, TOGETHER_MAX);
  return [
    ...groups.map((group) => ({
      clause: { all: group.map((term, index) => lead(term, counts, index === 0)), any: [] },
      weight: group.reduce((sum, { weight }) => sum + weight, 0),
      limit: SAMPLE,
    })),
    ...long.map(({ word, weight }) => ({
      clause: { all: [word], any: [] },
      weight: 2 * weight,
      limit: SAMPLE,
    })),
    ...apart.map(({ base, weight }) => {
      const tier = highestTier(base, counts);
      return {
        clause: { all: [base + TIERS[tier]!.mark], any: [] },
        weight: weight * (1 + tier / TIERS.length),
        limit: SAMPLE,
      };
    }),
  ];
};

/** The rarest word of a clause leads it: where even that is everywhere, where it is repeated. */
const lead = ({ base }: Term, counts: BaseCounts, isLead: boolean): string => {
  if (!isLead) return base;
  const fitting = TIERS.find((_, tier) => chunksInTier(counts, base, tier) <= WALKED_MAX);
  return base + (fitting ?? TIERS.at(-1)!).mark;
};

/** The most repeated form that fills a sample by itself. */
const highestTier = (base: string, counts: BaseCounts): number => {
  let tier = TIERS.length - 1;
  while (tier > 0 && chunksInTier(counts, base, tier) < SAMPLE) tier -= 1;
  return tier;
};

const chunksInTier = (counts: BaseCounts, base: string, tier: number): number =>
  (counts.get(base) ?? []).reduce(
    (sum, { chunks, thrice, sixTimes }) => sum + [chunks, thrice, sixTimes][tier]!,
    0,
  );

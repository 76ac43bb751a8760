import { FUNCTION_WORDS } from './function-words.ts';
import { baseOf, splitWords } from './split-words.ts';

/** A word of a query. */
export type QueryWord = {
  word: string;
  /** What it is found by. */
  base: string;
  /** Times that it stands in the query. */
  count: number;
  /** Words that stand right before it there, or one further back. */
  follows: ReadonlySet<string>;
};

/** A word of a query that says something, and how much: the rarer its base, the more. */
export type Term = QueryWord & { weight: number };

/** In how many chunks of a source a base stands. */
export type BaseCount = {
  base: string;
  sourceNo: number;
  chunks: number;
  /** Of these with it at least three and six times. */
  thrice: number;
  sixTimes: number;
};

/** Counts by base; what is nowhere is absent. */
export type BaseCounts = ReadonlyMap<string, readonly BaseCount[]>;

/** Words that are looked up. */
const WORDS_MAX = 64;
/** Words that are looked for. */
const TERMS_MAX = 16;
/** A word that says this little beside the rarest says nothing. */
const LEAST_SHARE = 0.08;
/** Words before one that it follows. */
const NEIGHBOURS = 2;

/**
 * The words of a query, each once; of those that are about nothing only where there are no others.
 * Of too many the longest stay: they are the rarest as a rule.
 */
export const readQuery = (text: string): QueryWord[] => {
  const all = splitWords(text);
  const everywhere = [...all.keys()];
  const significant = everywhere.filter((at) => !FUNCTION_WORDS.has(all[at]!));
  return [...Map.groupBy(significant.length > 0 ? significant : everywhere, (at) => all[at]!)]
    .map(([word, positions]) => ({
      word,
      base: baseOf(word),
      count: positions.length,
      follows: new Set(positions.flatMap((at) => all.slice(Math.max(0, at - NEIGHBOURS), at))),
    }))
    .sort((a, b) => significance(b.word) - significance(a.word))
    .slice(0, WORDS_MAX);
};

/** Numbers are telling, short as they are. */
const significance = (word: string): number => word.length + (/\d/.test(word) ? 4 : 0);

/** By base. */
export const toCounts = (rows: readonly BaseCount[]): BaseCounts =>
  Map.groupBy(rows, ({ base }) => base);

/** In how many chunks a base stands. */
export const chunksWith = (counts: BaseCounts, base: string): number =>
  (counts.get(base) ?? []).reduce((sum, { chunks }) => sum + chunks, 0);

/**
 * The most informative words of a query among `chunkCount` chunks, the rarest first: by BM25's
 * inverse document frequency, and by how often they were said. What is everywhere says nothing.
 */
export const chooseTerms = (
  words: readonly QueryWord[],
  counts: BaseCounts,
  chunkCount: number,
): Term[] => {
  const terms = words
    .map((one): Term => {
      const chunks = Math.min(chunksWith(counts, one.base), chunkCount);
      if (chunks === 0) return { ...one, weight: 0 };
      const rarity = Math.log(1 + (chunkCount - chunks + 0.5) / (chunks + 0.5));
      return { ...one, weight: rarity * (1 + Math.log(one.count)) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || (a.word < b.word ? -1 : 1))
    .slice(0, TERMS_MAX);
  const least = LEAST_SHARE * (terms[0]?.weight ?? 0);
  return terms.filter(({ weight }) => weight >= least);
};

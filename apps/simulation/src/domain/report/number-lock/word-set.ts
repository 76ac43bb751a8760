import type { FactUnit } from './fact.ts';

/** Words between spaces. */
export const toWordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Units by each word that counts them. */
export const toCounts = (
  counts: readonly (readonly [words: string, units: readonly FactUnit[]])[],
): ReadonlyMap<string, readonly FactUnit[]> =>
  new Map(
    counts.flatMap(([words, units]) => words.split(' ').map((word) => [word, units] as const)),
  );

/** Finds whole words, in any case; `\b` and `\w` do not know umlauts. */
export const toBeginnings = (...beginnings: string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${beginnings.join('|')})(?![\p{L}\p{N}])`, 'iu');

import type { FigureUnit } from './report-figure.ts';

export const toWordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Returns the possible units of each word. */
export const toCounts = (
  counts: readonly (readonly [words: string, units: readonly FigureUnit[]])[],
): ReadonlyMap<string, readonly FigureUnit[]> =>
  new Map(
    counts.flatMap(([words, units]) => words.split(' ').map((word) => [word, units] as const)),
  );

/** Matches whole words in any case; `\b` and `\w` do not support umlauts. */
export const toBeginnings = (...beginnings: string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${beginnings.join('|')})(?![\p{L}\p{N}])`, 'iu');

import type { FigureUnit } from './report-figure.ts';

export const toWordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

export const toCounts = (
  counts: readonly (readonly [words: string, units: readonly FigureUnit[]])[],
): ReadonlyMap<string, readonly FigureUnit[]> =>
  new Map(
    counts.flatMap(([words, units]) => words.split(' ').map((word) => [word, units] as const)),
  );

export const toBeginnings = (...beginnings: string[]): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${beginnings.join('|')})(?![\p{L}\p{N}])`, 'iu');

export type LockWords = {
  magnitudes: ReadonlyMap<string, number>;
  counts: ReadonlyMap<string, readonly FigureUnit[]>;
  turnNouns: ReadonlySet<string>;
  /** Words, such as prepositions, at which the search for the noun that an amount counts ends. */
  nounSearchEnds: ReadonlySet<string>;
  percent: ReadonlySet<string>;
  points: ReadonlySet<string>;
  basisPoints: ReadonlySet<string>;
  times: ReadonlySet<string>;
  signs: ReadonlySet<string>;
  isUnreadable: (word: string) => boolean;
  joined: RegExp;
  rise: RegExp;
  fall: RegExp;
  loss: RegExp;
  clauseEnd: RegExp;
};

import type { Answer, Issue } from '../debate.ts';
import { compareIds } from './compare-pairs.ts';
import { stanceOf, STANCE_WIDTH } from './stance-agreement.ts';

/**
 * Tastle and Wierman's consensus (2007): 1 when all values are the same, 0 when half of them are at
 * either end of a scale of this width. `values` are at least one.
 */
export const consensusOf = (values: readonly number[], width: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return sorted.reduce(
    (sum, value) => sum + Math.log2(1 - Math.abs(value - mean) / width) / sorted.length,
    1,
  );
};

/**
 * The mean of that over the issues that two or more answers take a stance on; undefined when there
 * is none.
 */
export const measureConsensus = (
  answers: readonly Answer[],
  issues: readonly Issue[],
): number | undefined => {
  const figures = issues
    .toSorted((a, b) => compareIds(a.id, b.id))
    .map(({ id }) => answers.flatMap((answer) => stanceOf(answer, id) ?? []))
    .filter((stances) => stances.length > 1)
    .map((stances) => consensusOf(stances, STANCE_WIDTH));
  return figures.length > 0
    ? figures.reduce((sum, figure) => sum + figure, 0) / figures.length
    : undefined;
};

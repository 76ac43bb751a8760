import type { Answer, Issue } from '../debate.ts';
import { compareIds } from './compare-pairs.ts';
import { stanceOf, STANCE_WIDTH } from './stance-agreement.ts';

/**
 * Returns the consensus measure of Tastle and Wierman (2007) for ratings on a scale of width
 * `width`: 1 if all ratings are equal, 0 if half of them are at each end. `values` must not be
 * empty.
 */
export const consensusOf = (values: readonly number[], width: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  return sorted.reduce(
    (sum, value) => sum + Math.log2(1 - Math.abs(value - mean) / width) / sorted.length,
    1,
  );
};

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

import type { Answer, Issue } from '../debate.ts';

/** Stances lie between -1 and 1. */
export const STANCE_WIDTH = 2;

/**
 * How far two answers agree (C2): over the issues that both take a stance on, by weight, one minus
 * their distance in the width of the scale. 0 to 1; undefined when there is no such issue.
 * `issues` in a fixed order: the sums are taken in it.
 */
export const stanceAgreement = (
  one: Answer,
  other: Answer,
  issues: readonly Issue[],
): number | undefined => {
  let agreement = 0;
  let weights = 0;
  for (const { id, weight } of issues) {
    const left = stanceOf(one, id);
    const right = stanceOf(other, id);
    if (left === undefined || right === undefined) continue;
    agreement += weight * (1 - Math.abs(left - right) / STANCE_WIDTH);
    weights += weight;
  }
  return weights > 0 ? agreement / weights : undefined;
};

/** Where an answer stands on an issue; undefined when it does not say. */
export const stanceOf = (answer: Answer, issueId: string): number | undefined =>
  answer.stances.find((stance) => stance.issueId === issueId)?.stance;

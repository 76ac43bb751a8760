import type { Answer, Issue } from '../debate.ts';

export const STANCE_WIDTH = 2;

/**
 * Returns the agreement of two answers, 0 to 1, or undefined if they have no issue in common. It is
 * the mean over their common issues, by weight of the issue, of one minus the relative distance of
 * the stances. The order of `issues` determines the rounding of sums.
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

export const stanceOf = (answer: Pick<Answer, 'stances'>, issueId: string): number | undefined =>
  answer.stances.find((stance) => stance.issueId === issueId)?.stance;

/**
 * Counts the stances that agents changed from one round to the next without stating a reason, a
 * sign of conformity. New and withdrawn stances do not count.
 */
export const countFlips = (before: readonly Answer[], now: readonly Answer[]): number => {
  const earlier = new Map(before.map((answer) => [answer.agentId, answer]));
  return now
    .filter(({ changeReason }) => changeReason.trim() === '')
    .reduce((count, answer) => count + countMoves(earlier.get(answer.agentId), answer), 0);
};

/** Returns the number of stances that differ from those of an earlier answer of the same agent. */
export const countMoves = (
  before: Pick<Answer, 'stances'> | undefined,
  now: Pick<Answer, 'stances'>,
): number =>
  before === undefined
    ? 0
    : before.stances.filter(({ issueId, stance }) => {
        const later = stanceOf(now, issueId);
        return later !== undefined && later !== stance;
      }).length;

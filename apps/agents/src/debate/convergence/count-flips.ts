import type { Answer } from '../debate.ts';
import { stanceOf } from './stance-agreement.ts';

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

const countMoves = (before: Answer | undefined, now: Answer): number =>
  before === undefined
    ? 0
    : before.stances.filter(({ issueId, stance }) => {
        const later = stanceOf(now, issueId);
        return later !== undefined && later !== stance;
      }).length;

import type { Answer } from '../debate.ts';
import { stanceOf } from './stance-agreement.ts';

/**
 * How many stances moved from one round to the next although their agent gave no reason (C1): the
 * sign of giving in rather than being convinced. What is said on an issue for the first time, or no
 * more, did not move.
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

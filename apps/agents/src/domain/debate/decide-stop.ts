import type { Answer, Round, StopReason } from './debate.ts';
import type { DebateRules } from './debate-rules.ts';
import { quorumOf } from './debate-rules.ts';

/** What is known when a round is over. */
export type DebateProgress = {
  /** All so far, in order. */
  rounds: readonly Round[];
  /** Agents that take part. */
  agentCount: number;
  rules: Pick<DebateRules, 'threshold' | 'maxRounds' | 'tokenBudget'>;
  /** All calls so far. */
  tokens: number;
  isPastDeadline: boolean;
};

/** Why no further round is to be held; undefined when one is (C1). */
export const decideStop = (progress: DebateProgress): StopReason | undefined => {
  const { rounds, agentCount, rules, tokens, isPastDeadline } = progress;
  const last = rounds.at(-1)!;
  if (agentCount === 1) return 'single';
  const quorum = quorumOf(agentCount);
  // Prose without a stance is no agreement, however alike it sounds.
  const counted = last.answers.filter(({ stances, isStale }) => stances.length > 0 && !isStale);
  if (last.convergenceScore >= rules.threshold && counted.length >= quorum) return 'converged';
  const before = rounds.at(-2);
  // Of those who were late nobody knows whether they moved.
  const hasQuorum = last.answers.filter(({ isStale }) => !isStale).length >= quorum;
  if (before && hasQuorum && isSame(before, last)) return 'stable';
  if (rounds.slice(0, -2).some((round) => isSame(round, last))) return 'oscillating';
  if (rounds.length >= rules.maxRounds) return 'rounds';
  if (isPastDeadline) return 'deadline';
  // A round that would end beyond the budget is not begun.
  const nextTokens = last.answers.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
  return tokens + nextTokens > rules.tokenBudget ? 'budget' : undefined;
};

/** Nobody came, left or moved between two rounds. */
const isSame = (one: Round, other: Round): boolean =>
  one.answers.length === other.answers.length &&
  one.answers.every((answer) => {
    const then = other.answers.find(({ agentId }) => agentId === answer.agentId);
    return then !== undefined && standpointOf(answer) === standpointOf(then);
  });

/** Where an agent stands; of one that took no stance, what it said. */
const standpointOf = ({ stances, content, levers }: Answer): string =>
  stances.length === 0
    ? content
    : JSON.stringify([
        stances.map(({ issueId, stance }) => [issueId, stance]),
        Object.entries(levers),
      ]);

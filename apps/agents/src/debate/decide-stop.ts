import type { Answer, Round, StopReason } from './debate.ts';

export type DebateProgress = {
  rounds: readonly Round[];
  agentCount: number;
  rules: Pick<DebateRules, 'threshold' | 'maxRounds' | 'tokenBudget'>;
  tokens: number;
  isPastDeadline: boolean;
};

/**
 * Returns the reason to end the debate after its last round, or undefined if another round follows.
 */
export const decideStop = (progress: DebateProgress): StopReason | undefined => {
  const { rounds, agentCount, rules, tokens, isPastDeadline } = progress;
  const last = rounds.at(-1)!;
  if (agentCount === 1) return 'single';
  const quorum = quorumOf(agentCount);
  // Answers without a stance never count as agreement, however similar their texts are.
  const counted = last.answers.filter(({ stances, isStale }) => stances.length > 0 && !isStale);
  if (last.convergenceScore >= rules.threshold && counted.length >= quorum) return 'converged';
  const previous = rounds.at(-2);
  // Equal rounds count as stable only if a quorum answered in the last one, because reused stale
  // answers are equal in any case.
  const hasQuorum = last.answers.filter(({ isStale }) => !isStale).length >= quorum;
  if (previous && hasQuorum && haveSameStandpoints(previous, last)) return 'stable';
  if (rounds.slice(0, -2).some((round) => haveSameStandpoints(round, last))) return 'oscillating';
  if (rounds.length >= rules.maxRounds) return 'rounds';
  if (isPastDeadline) return 'deadline';
  // Assumes that the next round costs as much as the last one.
  const nextTokens = last.answers.reduce((sum, { usage }) => sum + usage.totalTokens, 0);
  return tokens + nextTokens > rules.tokenBudget ? 'budget' : undefined;
};

const haveSameStandpoints = (one: Round, other: Round): boolean =>
  one.answers.length === other.answers.length &&
  one.answers.every((answer) => {
    const otherAnswer = other.answers.find(({ agentId }) => agentId === answer.agentId);
    return otherAnswer !== undefined && standpointOf(answer) === standpointOf(otherAnswer);
  });

const standpointOf = ({ stances, content, levers }: Answer): string =>
  stances.length === 0
    ? content
    : JSON.stringify([
        stances.map(({ issueId, stance }) => [issueId, stance]),
        Object.entries(levers),
      ]);

export type DebateRules = {
  /** Lowest convergence score, 0 to 1, that counts as agreement. */
  threshold: number;
  maxRounds: number;
  /** Time limit for one agent's answer in one round, including retries. */
  agentTimeoutMs: number;
  /**
   * Time after the start of the debate from which no new round starts, and the synthesis is
   * written.
   */
  deadlineMs: number;
  tokenBudget: number;
};

export const DEFAULT_RULES: DebateRules = {
  threshold: 0.85,
  maxRounds: 3,
  // A reasoning model can take a minute for an answer.
  agentTimeoutMs: 90_000,
  deadlineMs: 240_000,
  tokenBudget: 400_000,
};

export const ROUNDS_MAX = 5;

export const quorumOf = (count: number): number =>
  count === 1 ? 1 : Math.max(2, Math.ceil(count / 2));

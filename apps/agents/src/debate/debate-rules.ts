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
  // Reasoning models take up to a minute for an answer.
  agentTimeoutMs: 90_000,
  deadlineMs: 240_000,
  tokenBudget: 400_000,
};

export const ROUNDS_MAX = 5;

export const quorumOf = (count: number): number =>
  count === 1 ? 1 : Math.max(2, Math.ceil(count / 2));

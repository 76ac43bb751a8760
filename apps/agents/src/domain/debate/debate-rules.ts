export type DebateRules = {
  /** Lowest convergence score that counts as agreement: 0 to 1. */
  threshold: number;
  maxRounds: number;
  /** For one agent's answer in one round, retries included. */
  agentTimeoutMs: number;
  /** From the start of the debate. No round starts later; the synthesis follows. */
  deadlineMs: number;
  tokenBudget: number;
};

export const DEFAULT_RULES: DebateRules = {
  threshold: 0.85,
  maxRounds: 3,
  // Reasoning models take up to a minute.
  agentTimeoutMs: 90_000,
  deadlineMs: 240_000,
  tokenBudget: 400_000,
};

export const ROUNDS_MAX = 5;

export const quorumOf = (count: number): number =>
  count === 1 ? 1 : Math.max(2, Math.ceil(count / 2));

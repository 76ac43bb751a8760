/** Limits of a debate: from the service's configuration or from the caller of a panel. */
export type DebateRules = {
  /** Lowest convergence score that counts as agreement: 0 to 1. */
  threshold: number;
  /** 1 to 5. */
  maxRounds: number;
  /** For one agent's answer in one round, retries included. */
  agentTimeoutMs: number;
  /** From the start of the debate. No round starts later; the synthesis follows. */
  deadlineMs: number;
  /** Tokens of all calls; no round starts once they are used. */
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

/** Returns how many answers a round of `count` agents needs to be valid. */
export const quorumOf = (count: number): number =>
  count === 1 ? 1 : Math.max(2, Math.ceil(count / 2));

/** What a debate is held by; a service's configuration, or what a panel's caller asked for. */
export type DebateRules = {
  /** Score from which on the council agrees: 0 to 1. */
  threshold: number;
  /** 1 to 5. */
  maxRounds: number;
  /** For one agent's answer of one round, whatever it takes. */
  agentTimeoutMs: number;
  /** From the beginning, after which no further round begins; the synthesis follows. */
  deadlineMs: number;
  /** Tokens of all calls together, after which no further round begins. */
  tokenBudget: number;
};

export const DEFAULT_RULES: DebateRules = {
  threshold: 0.85,
  maxRounds: 3,
  // Models that reason take up to a minute.
  agentTimeoutMs: 90_000,
  deadlineMs: 240_000,
  tokenBudget: 400_000,
};

/** Most rounds that anybody may ask for. */
export const ROUNDS_MAX = 5;

/** Answers that a round needs to count, of a council of `count`. */
export const quorumOf = (count: number): number =>
  count === 1 ? 1 : Math.max(2, Math.ceil(count / 2));

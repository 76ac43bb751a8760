import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { LatencySummary } from '../load/latency-summary.ts';

export type DebateLoad = {
  agents: number;
  /** The provider's delay for each call. */
  delayMs: number;
  /** Number of concurrent debates. */
  inFlight: number;
};

/** Results of one load in one pass of the benchmark; times in milliseconds. */
export type DebateRow = DebateLoad & {
  round: number;
  debates: number;
  wallMs: LatencySummary;
  criticalMs: LatencySummary;
  /** Wall time divided by the critical path. */
  ratio: LatencySummary;
  /** Overhead of as many concurrent completions as a round has agents, without a debate. */
  burstOverheadMs: LatencySummary;
  /** Overhead of each round of each debate. */
  roundOverheadMs: LatencySummary;
  frameOverheadMs: LatencySummary;
  synthesisOverheadMs: LatencySummary;
  tailMs: LatencySummary;
  perSecond: number;
  /** Tokens of one debate as measured. */
  tokens: number;
  formulaTokens: number;
  /** CPU seconds for 1,000 debates. */
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

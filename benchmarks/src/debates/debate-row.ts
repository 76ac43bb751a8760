import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { LatencySummary } from '../load/latency-summary.ts';

export type DebateLoad = {
  agents: number;
  /** The fake provider's delay before each answer. */
  delayMs: number;
  /** Number of concurrent debates. */
  inFlight: number;
};

/** Results of one load in one benchmark round; times in milliseconds. */
export type DebateRow = DebateLoad & {
  round: number;
  debates: number;
  wallMs: LatencySummary;
  criticalMs: LatencySummary;
  /** Duration of a debate divided by its critical path. */
  ratio: LatencySummary;
  /** Overhead of a burst: one concurrent completion per agent, without a debate. */
  burstOverheadMs: LatencySummary;
  roundOverheadMs: LatencySummary;
  frameOverheadMs: LatencySummary;
  synthesisOverheadMs: LatencySummary;
  tailMs: LatencySummary;
  perSecond: number;
  /** Mean number of measured tokens per debate. */
  tokens: number;
  formulaTokens: number;
  /** CPU seconds per 1,000 debates. */
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

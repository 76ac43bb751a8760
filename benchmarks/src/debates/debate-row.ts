import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { LatencySummary } from '../load/latency-summary.ts';

export type DebateLoad = {
  agents: number;
  /** The provider's delay per call. */
  delayMs: number;
  /** Concurrent debates. */
  inFlight: number;
};

/** One row of one round; times in milliseconds. */
export type DebateRow = DebateLoad & {
  round: number;
  debates: number;
  wallMs: LatencySummary;
  criticalMs: LatencySummary;
  /** Wall time over critical path. */
  ratio: LatencySummary;
  /** Of as many concurrent completions as a round has agents, without a debate. */
  burstOverheadMs: LatencySummary;
  /** Over every round of every debate. */
  roundOverheadMs: LatencySummary;
  frameOverheadMs: LatencySummary;
  synthesisOverheadMs: LatencySummary;
  tailMs: LatencySummary;
  perSecond: number;
  /** Of one debate: measured, and by the protocol's formula. */
  tokens: number;
  formulaTokens: number;
  /** Seconds for 1,000 debates. */
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

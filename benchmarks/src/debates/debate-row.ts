import type { CpuSeconds } from '../cpu/cpu-account.ts';
import type { LatencySummary } from '../load/latency-summary.ts';

/** What a row is a measurement of. */
export type DebateLoad = {
  /** Agents of each debate. */
  agents: number;
  /** That the provider takes for each call. */
  delayMs: number;
  /** Debates at once. */
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
  /** Of as many completions at once as a round asks agents, without a debate. */
  burstOverheadMs: LatencySummary;
  /** Of every round of every debate. */
  roundOverheadMs: LatencySummary;
  frameOverheadMs: LatencySummary;
  synthesisOverheadMs: LatencySummary;
  tailMs: LatencySummary;
  perSecond: number;
  /** Of one debate, as its answer tells, and as the protocol's formula has it. */
  tokens: number;
  formulaTokens: number;
  /** Seconds for 1,000 debates. */
  cpuPer1000: number;
  cpuPer1000By: CpuSeconds;
  bystanderCpuPer1000By: CpuSeconds;
};

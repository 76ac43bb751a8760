import type { LatencySummary } from '../../load/latency-summary.ts';
import type { RowMeasurement } from '../../measure-row.ts';

/**
 * `bare`: the provider call through a plain HTTP pipe. `completion`: the same call as a completion
 * of Witan. All other systems are agent turns.
 */
export type ChatSystem =
  | 'bare'
  | 'completion'
  | 'turn'
  | 'turn, streamed'
  | 'turn, remembering'
  | 'turn, one tool';

/** All systems in the order of measurement. */
export const CHAT_SYSTEMS: readonly ChatSystem[] = [
  'bare',
  'completion',
  'turn',
  'turn, streamed',
  'turn, remembering',
  'turn, one tool',
];

/**
 * Result of one run of calls; `overheadMs` is the duration of the calls without the provider's
 * time.
 */
export type ChatMeasurement = RowMeasurement & {
  overheadMs: LatencySummary;
  /** Overhead until the first byte; set for streamed responses only. */
  firstByteOverheadMs?: LatencySummary;
};

export type ChatRow = ChatMeasurement & {
  system: ChatSystem;
  delayMs: number;
  inFlight: number;
  round: number;
};

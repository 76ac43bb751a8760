import type { LatencySummary } from '../../load/latency-summary.ts';
import type { RowMeasurement } from '../../measure-row.ts';

/** A turn through the agents, or a call beside it that does less. */
export type ChatSystem =
  | 'bare'
  | 'completion'
  | 'turn'
  | 'turn, streamed'
  | 'turn, remembering'
  | 'turn, one tool';

/** In the order in which they are measured. */
export const CHAT_SYSTEMS: readonly ChatSystem[] = [
  'bare',
  'completion',
  'turn',
  'turn, streamed',
  'turn, remembering',
  'turn, one tool',
];

/** One stretch of turns; each figure of `overheadMs` is of the time less the provider's own. */
export type ChatMeasurement = RowMeasurement & {
  overheadMs: LatencySummary;
  /** To the first byte, less the provider's to its own; of streams. */
  firstByteOverheadMs?: LatencySummary;
};

export type ChatRow = ChatMeasurement & {
  system: ChatSystem;
  delayMs: number;
  inFlight: number;
  round: number;
};

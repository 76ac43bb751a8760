import type { LatencySummary } from '../../load/latency-summary.ts';
import type { RowMeasurement } from '../../measure-row.ts';

/** The measured systems: a turn, or a smaller reference call. */
export type ChatSystem =
  | 'bare'
  | 'completion'
  | 'turn'
  | 'turn, streamed'
  | 'turn, remembering'
  | 'turn, one tool';

/** The systems in the order of measurement. */
export const CHAT_SYSTEMS: readonly ChatSystem[] = [
  'bare',
  'completion',
  'turn',
  'turn, streamed',
  'turn, remembering',
  'turn, one tool',
];

/** One run of turns; `overheadMs` excludes the provider's own time. */
export type ChatMeasurement = RowMeasurement & {
  overheadMs: LatencySummary;
  /** Time to the first byte without the provider's share; streamed calls only. */
  firstByteOverheadMs?: LatencySummary;
};

export type ChatRow = ChatMeasurement & {
  system: ChatSystem;
  delayMs: number;
  inFlight: number;
  round: number;
};

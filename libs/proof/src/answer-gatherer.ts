import type { AnswerChoice } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import type { ReportedUsage } from './reported-usage.ts';

/**
 * Collects the projection of an answer in one dialect, whole or in chunks. Accepts any input: a
 * member of the wrong type counts as absent, and nothing is thrown.
 */
export type AnswerGatherer = {
  /** Takes the parsed body of a plain answer. */
  body(parsed: unknown): void;
  /** Takes the parsed data of one frame of a streamed answer. */
  chunk(parsed: unknown): void;
  /** Returns the content delivered so far, in choice order. */
  choices(): AnswerChoice[];
  /**
   * Why the first choice ended; undefined until the provider reports it. A value outside the closed
   * set counts as `stop`, because the provider did end the answer.
   */
  readonly finishReason: FinishReason | undefined;
  /** The last usage reported; undefined if there was none or its members were not counts. */
  readonly usage: ReportedUsage | undefined;
  /**
   * The UTF-8 bytes stored (texts, ids, names, arguments) plus 64 for each choice and tool call, so
   * that a limit on it limits memory.
   */
  readonly contentBytes: number;
};

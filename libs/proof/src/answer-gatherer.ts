import type { AnswerChoice } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import type { ReportedUsage } from './reported-usage.ts';

/**
 * Gathers the projection of an answer in one dialect, whole or in chunks. It takes whatever a
 * provider may send: what has the wrong type counts as absent, and nothing is thrown.
 */
export type AnswerGatherer = {
  /** Takes the parsed body of a plain answer. */
  body(parsed: unknown): void;
  /** Takes the parsed data of one frame of a streamed answer. */
  chunk(parsed: unknown): void;
  /** What was delivered so far, in choice order. */
  choices(): AnswerChoice[];
  /**
   * Why the first choice ended; undefined until its provider says. A word outside the closed set
   * counts as `stop`: the provider did end the answer.
   */
  readonly finishReason: FinishReason | undefined;
  /** The last usage reported; undefined when none was, or when it was not made of counts. */
  readonly usage: ReportedUsage | undefined;
  /**
   * UTF-8 bytes of all that is kept (texts, ids, names, arguments), and 64 for every choice and
   * tool call: a limit on it is a limit on memory.
   */
  readonly contentBytes: number;
};

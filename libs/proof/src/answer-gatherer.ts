import type { AnswerChoice } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import type { ReportedUsage } from './reported-usage.ts';

/**
 * Collects the committed content of an answer in one dialect, whole or in chunks. Accepts any
 * input: a member of the wrong type counts as absent, and nothing is thrown.
 */
export type AnswerGatherer = {
  body(parsed: unknown): void;
  chunk(parsed: unknown): void;
  choices(): AnswerChoice[];
  /**
   * Finish reason of the first choice; undefined until the provider reports it. An unknown value
   * counts as `stop`, because the provider did end the answer.
   */
  readonly finishReason: FinishReason | undefined;
  readonly usage: ReportedUsage | undefined;
  /**
   * UTF-8 bytes stored (texts, ids, names, arguments) plus 64 for each choice and tool call, so
   * that a limit on it limits memory.
   */
  readonly contentBytes: number;
};

import type { AnswerChoice } from './answer.ts';
import type { FinishReason } from './certificate.ts';
import type { ReportedUsage } from './reported-usage.ts';

/**
 * Collects the content of an answer that its certificate commits to, from a whole body or from
 * chunks, in one dialect. Accepts any input: a member of the wrong type counts as absent, and
 * nothing is thrown.
 */
export type AnswerGatherer = {
  body(parsed: unknown): void;
  chunk(parsed: unknown): void;
  choices(): AnswerChoice[];
  /**
   * Finish reason of the first choice; undefined until the provider reports one. An unknown value
   * counts as `stop`, because the provider did end the answer.
   */
  readonly finishReason: FinishReason | undefined;
  readonly usage: ReportedUsage | undefined;
  /**
   * Size of the collected content, for a memory limit: the UTF-8 bytes of texts, ids, names and
   * arguments plus 64 for each choice and tool call.
   */
  readonly contentBytes: number;
};

import { commitmentText } from './commitment.ts';
import { sha256Hex } from './bytes.ts';
import type { FinishReason } from './certificate.ts';

export type AnswerToolCall = { id: string; name: string; arguments: string };

export type AnswerChoice = { index: number; content: string | null; toolCalls: AnswerToolCall[] };

/**
 * Returns the text whose SHA-256 is `response.sha256` in the certificate: the canonical text of the
 * list of `{index, content, toolCalls}`, ordered by choice. It is the same for a streamed and a
 * plain answer.
 */
export function answerCommitmentText(choices: readonly AnswerChoice[]): string {
  return commitmentText(
    choices
      .toSorted((a, b) => a.index - b.index)
      .map(({ index, content, toolCalls }) => ({
        content,
        index,
        toolCalls: toolCalls.map((call) => ({
          arguments: call.arguments,
          id: call.id,
          name: call.name,
        })),
      })),
  );
}

export function commitAnswer(choices: readonly AnswerChoice[]): string {
  return sha256Hex(answerCommitmentText(choices));
}

/**
 * Collects the choices, finish reason and usage of an answer, from a whole body or from chunks, in
 * one dialect. Accepts any input: a member of the wrong type counts as absent, and nothing is
 * thrown.
 */
export type AnswerGatherer = {
  body(parsed: unknown): void;
  /** `event` is the name of the chunk's server-sent event, if it has one. */
  chunk(parsed: unknown, event?: string): void;
  /**
   * Says which part of the answer repeats a text, name, id or argument with another value than
   * before, or belongs to another kind of answer. Clients would show one or the other. That part
   * and all later ones are not collected.
   */
  readonly contradiction: string | undefined;
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

/**
 * Token counts that a provider reported; not part of a certificate. The last three are absent if
 * the provider did not report them; 0 means that it reported 0.
 */
export type ReportedUsage = {
  /** Tokens of the whole prompt, including those that were read from or written to a cache. */
  promptTokens: number;
  completionTokens: number;
  totalTokens: number;
  cachedTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
};

type FoundCounts = Record<keyof ReportedUsage, number | undefined>;

/** Maximum count, because the contract between services uses 32-bit integers. */
const TOKENS_MAX = 2 ** 32 - 1;

/**
 * Returns undefined if the prompt count or the completion count is missing, or if a count exceeds
 * 2^32-1. If the total is missing, it is the sum of both.
 */
export function toReportedUsage(found: FoundCounts): ReportedUsage | undefined {
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = found;
  if (promptTokens === undefined || completionTokens === undefined) return undefined;
  const totalTokens = found.totalTokens ?? promptTokens + completionTokens;
  const usage: ReportedUsage = { promptTokens, completionTokens, totalTokens };
  if (cachedTokens !== undefined) usage.cachedTokens = cachedTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  return Object.values(usage).every((count) => count <= TOKENS_MAX) ? usage : undefined;
}

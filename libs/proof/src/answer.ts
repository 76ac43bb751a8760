import { commitmentText } from './commitment.ts';
import { sha256Hex } from './sha256.ts';

/** A call of a tool; `arguments` is the text as the model wrote it. */
export type AnswerToolCall = { id: string; name: string; arguments: string };

/** What one choice of an answer delivered: all its text (null when none) and its tool calls. */
export type AnswerChoice = { index: number; content: string | null; toolCalls: AnswerToolCall[] };

/**
 * The text whose SHA-256 is `response.sha256`: the canonical text of the list, in choice order, of
 * `{index, content, toolCalls}`. The same for a streamed and a plain answer.
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

/** `response.sha256` of an answer: SHA-256 of its {@link answerCommitmentText}. */
export function commitAnswer(choices: readonly AnswerChoice[]): string {
  return sha256Hex(answerCommitmentText(choices));
}

import { commitmentText } from './commitment.ts';
import { sha256Hex } from './sha256.ts';

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

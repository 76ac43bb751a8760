import { toTextTurn } from '@witan/dialects';
import type { Prompt } from '@witan/dialects';

type UnusableAnswer = {
  raw: string;
  finishReason: string;
  instruction: string;
};

/**
 * Returns the prompt of a retry: the original one with the unusable answer and the instruction
 * appended, at temperature 0 and with little reasoning. After a truncated answer the token limit is
 * doubled, up to 16,000. If that answer was empty, the limit is raised to 16,000, because reasoning
 * may have used it up.
 */
export const toRetryPrompt = (
  prompt: Prompt,
  { raw, finishReason, instruction }: UnusableAnswer,
): Prompt => {
  const isEmpty = raw.trim() === '';
  const { maxOutputTokens: limit = OUTPUT_TOKENS_MAX, turns } = prompt;
  const raisedLimit = isEmpty ? OUTPUT_TOKENS_MAX : Math.min(limit * 2, OUTPUT_TOKENS_MAX);
  return {
    ...prompt,
    isStreamed: false,
    isShort: true,
    temperature: 0,
    maxOutputTokens: finishReason === 'length' ? Math.max(limit, raisedLimit) : limit,
    turns: [
      ...turns,
      toTextTurn('assistant', isEmpty ? '...' : raw),
      toTextTurn('user', instruction),
    ],
  };
};

const OUTPUT_TOKENS_MAX = 16_000;

/**
 * The route `service-auto` sends a prompt that is classified as sensitive to the local runtime, if
 * one is configured; `service-agent` would not.
 */
export const AUTO = { requested: 'service-auto', kind: 'service-auto' } as const;
/** Only the local runtime may receive the prompt. */
export const LOCAL = { requested: 'service-sensitive', kind: 'service-sensitive' } as const;

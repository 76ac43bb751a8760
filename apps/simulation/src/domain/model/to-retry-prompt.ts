import { create } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { Turn } from '@witan/contracts';
import type { Prompt } from './model-call.ts';

/** An unusable answer and the instruction for the retry. */
export type UnusableAnswer = {
  raw: string;
  /** `length`: the retry gets a higher limit. */
  finishReason: string;
  /** Describes the error to the model. */
  instruction: string;
};

/**
 * Returns the prompt of a retry: the answer, the error, temperature 0, little reasoning. A
 * truncated answer gets twice the limit, and the maximum if it was empty, because reasoning may use
 * up the whole limit.
 */
export const toRetryPrompt = (
  prompt: Prompt,
  { raw, finishReason, instruction }: UnusableAnswer,
): Prompt => {
  const isEmpty = raw.trim() === '';
  const { maxOutputTokens: limit, turns } = prompt;
  const widened = isEmpty ? OUTPUT_TOKENS_MAX : Math.min(limit * 2, OUTPUT_TOKENS_MAX);
  return {
    ...prompt,
    isStreamed: false,
    isShort: true,
    temperature: 0,
    maxOutputTokens: finishReason === 'length' ? Math.max(limit, widened) : limit,
    turns: [
      ...turns,
      toTextTurn('assistant', isEmpty ? '...' : raw),
      toTextTurn('user', instruction),
    ],
  };
};

const OUTPUT_TOKENS_MAX = 16_000;

export const toTextTurn = (role: 'user' | 'assistant', text: string): Turn =>
  create(TurnSchema, { role, parts: [{ part: { case: 'text', value: { text } } }] });

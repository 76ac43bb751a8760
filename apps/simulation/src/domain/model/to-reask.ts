import { create } from '@bufbuild/protobuf';
import { TurnSchema } from '@witan/contracts';
import type { Turn } from '@witan/contracts';
import type { Prompt } from './model-call.ts';

/** An answer that cannot be used, and what is asked instead. */
export type UnusableAnswer = {
  /** As the model wrote it. */
  raw: string;
  /** `length`: the next answer gets more room. */
  finishReason: string;
  /** What was wrong, as the model reads it. */
  instruction: string;
};

/**
 * The prompt of a repair: the answer, what was wrong with it, temperature 0, little reasoning. An
 * answer that was cut off gets twice the room, and all there is if it was cut off before its first
 * word: a model that reasons may spend the whole limit on that.
 */
export const toReask = (
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

/** Most output tokens that a second attempt is offered. */
const OUTPUT_TOKENS_MAX = 16_000;

export const toTextTurn = (role: 'user' | 'assistant', text: string): Turn =>
  create(TurnSchema, { role, parts: [{ part: { case: 'text', value: { text } } }] });

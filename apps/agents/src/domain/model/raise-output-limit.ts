import type { Prompt } from './model-call.ts';

/** Most output tokens that a second attempt is offered. */
const OUTPUT_TOKENS_MAX = 16_000;

/** The prompt for an answer that was cut off: twice the room, and little reasoning. */
export const doubleOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, (limit) => Math.min(limit * 2, OUTPUT_TOKENS_MAX));

/** The prompt for an answer that was cut off before its first word: all the room there is. */
export const maximizeOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, () => OUTPUT_TOKENS_MAX);

const raiseOutputLimit = (prompt: Prompt, widen: (limit: number) => number): Prompt => {
  const { maxOutputTokens: limit } = prompt;
  const room = limit === undefined ? {} : { maxOutputTokens: Math.max(limit, widen(limit)) };
  return { ...prompt, ...room, isShort: true };
};

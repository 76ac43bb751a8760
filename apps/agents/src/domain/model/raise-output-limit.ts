import type { Prompt } from './model-call.ts';

/** Highest output limit of a repeated call. */
const OUTPUT_TOKENS_MAX = 16_000;

/** Returns the prompt for repeating a cut-off answer: twice the output limit, little reasoning. */
export const doubleOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, (limit) => Math.min(limit * 2, OUTPUT_TOKENS_MAX));

/**
 * Returns the prompt for repeating an answer that was cut off before any text: the highest limit.
 */
export const maximizeOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, () => OUTPUT_TOKENS_MAX);

const raiseOutputLimit = (prompt: Prompt, widen: (limit: number) => number): Prompt => {
  const { maxOutputTokens: limit } = prompt;
  const room = limit === undefined ? {} : { maxOutputTokens: Math.max(limit, widen(limit)) };
  return { ...prompt, ...room, isShort: true };
};

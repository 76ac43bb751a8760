import type { Prompt } from './model-call.ts';

const OUTPUT_TOKENS_MAX = 16_000;

export const doubleOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, (limit) => Math.min(limit * 2, OUTPUT_TOKENS_MAX));

export const maximizeOutputLimit = (prompt: Prompt): Prompt =>
  raiseOutputLimit(prompt, () => OUTPUT_TOKENS_MAX);

const raiseOutputLimit = (prompt: Prompt, raiseLimit: (limit: number) => number): Prompt => {
  const { maxOutputTokens: limit } = prompt;
  const raisedSettings =
    limit === undefined ? {} : { maxOutputTokens: Math.max(limit, raiseLimit(limit)) };
  return { ...prompt, ...raisedSettings, isShort: true };
};

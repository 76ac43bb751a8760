/**
 * Matches OpenAI's own models, the newer of which refuse `max_tokens`. Many local runtimes
 * accept only `max_tokens`.
 */
export const OPENAI_MODEL = /^(o\d|gpt-(?!oss)|chatgpt-)/;

export const limitNameOf = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  OPENAI_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';

/**
 * Matches OpenAI's reasoning models, which refuse sampling parameters; `gpt-5-chat` is not one of
 * them.
 */
const REASONING_MODEL = /^(?:o\d|gpt-(?:[5-9]|\d\d)(?!-chat))/;

const NO_LOW_EFFORT = /^(?:o1-(?:mini|preview)|.+-pro(?:$|-))/;

export const isReasoningModel = (model: string): boolean => REASONING_MODEL.test(model);

export const acceptsLowEffort = (model: string): boolean =>
  isReasoningModel(model) && !NO_LOW_EFFORT.test(model);

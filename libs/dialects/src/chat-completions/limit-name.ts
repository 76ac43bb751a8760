/** OpenAI's own names; its newer models refuse `max_tokens`, and local runtimes know only that. */
export const OPENAI_MODEL = /^(o\d|gpt-(?!oss)|chatgpt-)/;

/** The member by which a model is told how long its answer may be. */
export const limitNameOf = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  OPENAI_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';

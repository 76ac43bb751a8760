/** OpenAI's own models; newer ones refuse `max_tokens`, and local runtimes accept only that. */
export const OPENAI_MODEL = /^(o\d|gpt-(?!oss)|chatgpt-)/;

/** Returns the name of the output-limit member that a model accepts. */
export const limitNameOf = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  OPENAI_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';

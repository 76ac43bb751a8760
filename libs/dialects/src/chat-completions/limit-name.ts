/**
 * Matches OpenAI's own models, the newer of which refuse `max_tokens`. Local runtimes accept only
 * `max_tokens`.
 */
export const OPENAI_MODEL = /^(o\d|gpt-(?!oss)|chatgpt-)/;

export const limitNameOf = (model: string): 'max_completion_tokens' | 'max_tokens' =>
  OPENAI_MODEL.test(model) ? 'max_completion_tokens' : 'max_tokens';

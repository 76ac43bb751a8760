/** Prompt tokens that a local runtime reads in the time in which it generates one token. */
const PROMPT_TOKENS_PER_TOKEN = 8;

/**
 * Returns how many generated tokens take as long as a call. `token_ms` of a local runtime is
 * measured in them, and time limits are derived from it.
 */
export const toGeneratedTokens = (promptTokens: number, outputTokens: number): number =>
  outputTokens + promptTokens / PROMPT_TOKENS_PER_TOKEN;

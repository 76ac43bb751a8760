/** Token usage of every call: 230 for the prompt and 90 for the answer. */
export const CALL_TOKENS = 320;

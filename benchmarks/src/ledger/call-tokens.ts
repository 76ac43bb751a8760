/** What every call is said to have used: 230 tokens of a prompt, 90 of an answer. */
export const CALL_TOKENS = 320;

/** Usage of every call: 230 tokens of prompt and 90 of answer. */
export const CALL_TOKENS = 320;

/** Longest time that the edge waits for a short call to another service, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000;
/** Counting asks a provider, in milliseconds; the llm-gateway estimates when that takes longer. */
export const COUNT_TIMEOUT_MS = 30_000;
/** A receiver has 10 s to answer a test, in milliseconds. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;

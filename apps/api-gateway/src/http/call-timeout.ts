export const CALL_TIMEOUT_MS = 10_000;
/** Counting tokens calls a provider; the llm-gateway estimates if the provider times out. */
export const COUNT_TIMEOUT_MS = 30_000;
/** A receiver has 10 s to respond to a test. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;
/** A tool has 15 s to respond to a test and 4 s to accept the connection. */
export const TOOL_TEST_TIMEOUT_MS = 25_000;
/** Parsing a document takes up to a minute, as does deleting a long one. */
export const ADD_DOCUMENT_TIMEOUT_MS = 90_000;
export const SIMULATION_WAIT_MS = 120_000;
/** A forecast computes up to ten thousand runs of forty years; a replay, a whole history. */
export const COMPUTE_TIMEOUT_MS = 60_000;

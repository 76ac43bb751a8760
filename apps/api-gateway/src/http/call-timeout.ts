/** Timeout of a short call to another service, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000;
/** Counting calls a provider; the llm-gateway estimates on its own timeout. In milliseconds. */
export const COUNT_TIMEOUT_MS = 30_000;
/** A receiver has 10 s to respond to a test, in milliseconds. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;
/** A tool has 15 s to respond to a test and 4 s to accept the connection, in milliseconds. */
export const TOOL_TEST_TIMEOUT_MS = 25_000;
/** Parsing a document takes up to a minute, as does deleting a long one, in milliseconds. */
export const ADD_DOCUMENT_TIMEOUT_MS = 90_000;
/** Calls that change a simulation wait this long for a running turn, in milliseconds. */
export const SIMULATION_WAIT_MS = 120_000;
/** Ten thousand runs of forty years, or the replay of a whole history, in milliseconds. */
export const COMPUTE_TIMEOUT_MS = 60_000;

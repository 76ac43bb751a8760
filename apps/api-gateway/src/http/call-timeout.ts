/** Longest time that the edge waits for a short call to another service, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000;
/** Counting asks a provider, in milliseconds; the llm-gateway estimates when that takes longer. */
export const COUNT_TIMEOUT_MS = 30_000;
/** A receiver has 10 s to answer a test, in milliseconds. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;
/** A tool has 15 s to answer a test, and may wait 4 s to be connected, in milliseconds. */
export const TOOL_TEST_TIMEOUT_MS = 25_000;
/** Reading a document takes up to a minute, as does deleting a long one, in milliseconds. */
export const ADD_DOCUMENT_TIMEOUT_MS = 90_000;
/** Calls that change a simulation wait so long for one that plays a turn of it, in milliseconds. */
export const SIMULATION_WAIT_MS = 120_000;
/** Ten thousand runs of forty years, or a whole history again, in milliseconds. */
export const COMPUTE_TIMEOUT_MS = 60_000;

/** Longest time that the edge waits for a short call to another service, in milliseconds. */
export const CALL_TIMEOUT_MS = 10_000;

/** Maximum time for a caller to report the text that it delivered. */
export const DELIVERY_TIMEOUT_MS = 10_000;

/** How long a caller may take to say what it delivered, in milliseconds. */
export const DELIVERY_TIMEOUT_MS = 10_000;

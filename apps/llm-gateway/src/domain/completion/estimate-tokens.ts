/** A rule of thumb for English text and JSON; estimates are marked as such in certificates. */
const BYTES_PER_TOKEN = 4;

/** Tokens of that many UTF-8 bytes, for calls whose provider reported none. */
export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

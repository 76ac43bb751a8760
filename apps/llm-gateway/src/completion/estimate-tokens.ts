/** Rule of thumb for English text and JSON; certificates mark estimates as such. */
const BYTES_PER_TOKEN = 4;

export const estimateTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/**
 * Returns whether an answer is incomplete. Every finish reason except `stop` (limit, filter, broken
 * stream) means that it was truncated.
 */
export const isCutOff = (finishReason: string): boolean => finishReason !== 'stop';

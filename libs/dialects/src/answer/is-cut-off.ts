/**
 * Returns whether an answer is incomplete. That is so for every finish reason except `stop`, for
 * example a token limit, a content filter or a broken stream.
 */
export const isCutOff = (finishReason: string): boolean => finishReason !== 'stop';

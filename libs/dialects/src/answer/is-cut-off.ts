/**
 * Returns whether an answer is incomplete: any end other than `stop` (a limit, a filter, a broken
 * stream) truncates it, and a truncated answer must not pass as whole.
 */
export const isCutOff = (finishReason: string): boolean => finishReason !== 'stop';

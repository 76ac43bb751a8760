/**
 * True unless the model ended its answer itself: by its limit, by a filter, or by a provider that
 * broke off, an answer is only the beginning of one, and must not pass for whole (C6).
 */
export const isCutOff = (finishReason: string): boolean => finishReason !== 'stop';

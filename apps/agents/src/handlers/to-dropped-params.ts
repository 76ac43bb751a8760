/**
 * Returns the parameters set by the client that the model does not support, without those set by
 * the service.
 */
export const toDroppedParams = (
  dropped: readonly string[],
  { temperature }: { temperature?: number | undefined },
): string[] => (temperature === undefined ? [] : dropped.filter((name) => name === 'temperature'));

/**
 * Parameters that the client has set and the model does not take; those that the service has set
 * itself are left out.
 */
export const toDroppedParams = (
  dropped: readonly string[],
  { temperature }: { temperature?: number | undefined },
): string[] => (temperature === undefined ? [] : dropped.filter((name) => name === 'temperature'));

/**
 * Returns the parameters that the client has set and the provider does not support. Clients of an
 * agent can set only `temperature`.
 */
export const toDroppedParams = (
  dropped: readonly string[],
  { temperature }: { temperature?: number | undefined },
): string[] => (temperature === undefined ? [] : dropped.filter((name) => name === 'temperature'));

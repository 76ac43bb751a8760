/** Returns the dropped parameters that the client has set, which can only be `temperature`. */
export const toDroppedParams = (
  dropped: readonly string[],
  { temperature }: { temperature?: number | undefined },
): string[] => (temperature === undefined ? [] : dropped.filter((name) => name === 'temperature'));

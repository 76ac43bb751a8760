/** Takes a place for one running stream; undefined when the key has as many as it may. */
export type TakeStream = (keyId: string) => ReleaseStream | undefined;
/** Gives the place back; further calls do nothing. */
export type ReleaseStream = () => void;

/** Counts the running streams of each key, up to `max`. Keys without any are not remembered. */
export const createStreamLimiter = (max: number): TakeStream => {
  const running = new Map<string, number>();

  const add = (keyId: string, change: 1 | -1): void => {
    const count = (running.get(keyId) ?? 0) + change;
    if (count > 0) running.set(keyId, count);
    else running.delete(keyId);
  };
  return (keyId) => {
    if ((running.get(keyId) ?? 0) >= max) return undefined;
    add(keyId, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      add(keyId, -1);
    };
  };
};

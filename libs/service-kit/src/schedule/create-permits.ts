export type AcquirePermit = (key: string) => ReleasePermit | undefined;

export type ReleasePermit = () => void;

/**
 * Returns a function that acquires one of `max` permits of a key, or returns undefined if none is
 * free. Keys without permits in use take no memory.
 */
export const createPermits = (max: number): AcquirePermit => {
  const inUse = new Map<string, number>();

  const changeCount = (key: string, change: 1 | -1): void => {
    const count = (inUse.get(key) ?? 0) + change;
    if (count > 0) inUse.set(key, count);
    else inUse.delete(key);
  };
  return (key) => {
    if ((inUse.get(key) ?? 0) >= max) return undefined;
    changeCount(key, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      changeCount(key, -1);
    };
  };
};

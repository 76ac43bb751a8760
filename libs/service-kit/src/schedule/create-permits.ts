export type AcquirePermit = (key: string) => ReleasePermit | undefined;

export type ReleasePermit = () => void;

/** A semaphore per key with `max` permits. Unused keys take no memory. */
export const createPermits = (max: number): AcquirePermit => {
  const taken = new Map<string, number>();

  const add = (key: string, change: 1 | -1): void => {
    const count = (taken.get(key) ?? 0) + change;
    if (count > 0) taken.set(key, count);
    else taken.delete(key);
  };
  return (key) => {
    if ((taken.get(key) ?? 0) >= max) return undefined;
    add(key, 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      add(key, -1);
    };
  };
};

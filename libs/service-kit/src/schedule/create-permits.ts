/** Takes a permit of a key; undefined when the key has as many as it may. */
export type TakePermit = (key: string) => ReleasePermit | undefined;

/** Gives the permit back; further calls do nothing. */
export type ReleasePermit = () => void;

/** A semaphore for each key, with `max` permits. Keys without any taken are not remembered. */
export const createPermits = (max: number): TakePermit => {
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

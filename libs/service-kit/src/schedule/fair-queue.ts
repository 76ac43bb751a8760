/** A queue that serves keys, such as workspaces, round robin and the items of one key in order. */
export type FairQueue<T> = {
  size: () => number;
  /** Returns the queued items of one key, or of all keys. */
  items: (key?: string) => T[];
  add: (key: string, item: T) => void;
  /** Adds an item before the others of its key. */
  addFirst: (key: string, item: T) => void;
  /**
   * Removes and returns the next item that `isEligible` accepts. Returns undefined if there is
   * none.
   */
  take: (isEligible?: (key: string, item: T) => boolean) => T | undefined;
  /** Removes an item, if it is queued. The order of the other items does not change. */
  remove: (key: string, item: T) => void;
};

export const createFairQueue = <T>(): FairQueue<T> => {
  const queued = new Map<string, Set<T>>();
  /** The key that was served last. It is served again only if no other eligible key has items. */
  let lastServed: string | undefined;

  const items = (key?: string): T[] =>
    (key === undefined ? [...queued.values()] : [queued.get(key) ?? []]).flatMap((own) => [...own]);
  const remove = (key: string, item: T): void => {
    const own = queued.get(key);
    own?.delete(item);
    if (own?.size === 0) queued.delete(key);
  };
  type Next = { key: string; item: T; own: Set<T> };
  /** Returns the first eligible item of each of the first two keys that have one. */
  const findFirstTwo = (isEligible: (key: string, item: T) => boolean): Next[] => {
    const found: Next[] = [];
    for (const [key, own] of queued) {
      for (const item of own) {
        if (!isEligible(key, item)) continue;
        found.push({ key, item, own });
        break;
      }
      if (found.length === 2) break;
    }
    return found;
  };
  return {
    items,
    remove,
    size: () => items().length,
    add: (key, item) => void queued.set(key, (queued.get(key) ?? new Set()).add(item)),
    addFirst: (key, item) => void queued.set(key, new Set([item, ...(queued.get(key) ?? [])])),
    take: (isEligible = () => true) => {
      const [first, second] = findFirstTwo(isEligible);
      const next = first?.key === lastServed ? (second ?? first) : first;
      if (next === undefined) return undefined;
      const { key, item, own } = next;
      remove(key, item);
      // Moves the key behind all others.
      if (queued.delete(key)) queued.set(key, own);
      lastServed = key;
      return item;
    },
  };
};

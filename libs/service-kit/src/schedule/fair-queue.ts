/** A queue that serves keys, such as workspaces, round robin and the items of one key in order. */
export type FairQueue<T> = {
  size: () => number;
  /** Returns the queued items of one key, or of all keys. */
  items: (key?: string) => T[];
  add: (key: string, item: T) => void;
  /**
   * Removes and returns the next item of a key that `isEligible` accepts. Returns undefined if
   * there is none.
   */
  take: (isEligible?: (key: string) => boolean) => T | undefined;
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
  return {
    items,
    remove,
    size: () => items().length,
    add: (key, item) => void queued.set(key, (queued.get(key) ?? new Set()).add(item)),
    take: (isEligible = () => true) => {
      const [first, second] = [...queued.keys()].filter(isEligible);
      const key = first === lastServed ? (second ?? first) : first;
      if (key === undefined) return undefined;
      const own = queued.get(key)!;
      const [item] = own;
      remove(key, item!);
      // Moves the key behind all others.
      if (queued.delete(key)) queued.set(key, own);
      lastServed = key;
      return item;
    },
  };
};

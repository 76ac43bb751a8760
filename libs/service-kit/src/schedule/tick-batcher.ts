/**
 * Returns a function that collects the items of one event-loop tick and passes them to `flush`
 * together, in order. It uses no timer, so items wait only for work that is already runnable.
 */
export const createTickBatcher = <T>(flush: (items: T[]) => void): ((item: T) => void) => {
  let pendingItems: T[] = [];
  const flushAll = (): void => {
    const items = pendingItems;
    pendingItems = [];
    flush(items);
  };
  return (item) => {
    if (pendingItems.push(item) === 1) setImmediate(flushAll);
  };
};

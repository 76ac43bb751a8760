/**
 * Gathers what is pushed in one event-loop turn and hands it on together, in order. No timer: an
 * item waits only for the work that is already runnable.
 */
export const createTickBatcher = <T>(flush: (items: T[]) => void): ((item: T) => void) => {
  let gathered: T[] = [];
  const flushAll = (): void => {
    const items = gathered;
    gathered = [];
    flush(items);
  };
  return (item) => {
    if (gathered.push(item) === 1) setImmediate(flushAll);
  };
};

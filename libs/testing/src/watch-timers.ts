type WatchedTimers = Disposable & {
  /** Returns the number of timers that neither fired nor were cleared. */
  pendingCount: () => number;
};

/**
 * Counts the timers that are set with this delay until the watch is disposed. Timers of other code
 * of the process, such as the clock of an HTTP client, have other delays and are not counted. With
 * fake timers: call it after they are installed, and dispose of it before they are removed.
 */
export const watchTimers = (delayMs: number): WatchedTimers => {
  const { setTimeout: set, clearTimeout: clear } = globalThis;
  const pending = new Set<unknown>();
  globalThis.setTimeout = Object.assign(
    (callback: (...args: unknown[]) => void, afterMs?: number, ...args: unknown[]) => {
      if (afterMs !== delayMs) return set(callback, afterMs, ...args);
      const timer = set(() => {
        pending.delete(timer);
        callback(...args);
      }, afterMs);
      pending.add(timer);
      return timer;
    },
    set,
  );
  globalThis.clearTimeout = (timer) => {
    pending.delete(timer);
    clear(timer);
  };
  return {
    pendingCount: () => pending.size,
    [Symbol.dispose]: () => {
      globalThis.setTimeout = set;
      globalThis.clearTimeout = clear;
    },
  };
};

/** Wakes one waiting loop. A notification while nothing waits ends the next wait at once. */
export type WakeSignal = {
  notify: () => void;
  /**
   * Resolves at the next notification, at the latest after `timeoutMs`. The timer does not keep the
   * process alive.
   */
  wait: (timeoutMs: number) => Promise<void>;
};

export const createWakeSignal = (): WakeSignal => {
  let isNotified = false;
  let wake: (() => void) | undefined;
  return {
    notify: () => {
      isNotified = true;
      wake?.();
    },
    wait: async (timeoutMs) => {
      if (!isNotified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, timeoutMs);
        timer.unref();
        await promise;
        clearTimeout(timer);
        wake = undefined;
      }
      isNotified = false;
    },
  };
};

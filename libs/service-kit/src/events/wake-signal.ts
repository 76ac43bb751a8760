/** Wakes one waiter; a ring that nobody waits for is kept for the next who does. */
export type WakeSignal = {
  ring: () => void;
  /** Resolves at the next ring, or after `timeoutMs`. Keeps no process alive. */
  heard: (timeoutMs: number) => Promise<void>;
};

export const createWakeSignal = (): WakeSignal => {
  let isRung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      isRung = true;
      wake?.();
    },
    heard: async (timeoutMs) => {
      if (!isRung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        const timer = setTimeout(resolve, timeoutMs);
        timer.unref();
        await promise;
        clearTimeout(timer);
        wake = undefined;
      }
      isRung = false;
    },
  };
};

/** Calls that go on without their client, until the service stops. */
export type DetachedCalls = {
  /** Aborts the calls when the service stops and has waited for them. */
  signal: AbortSignal;
  /** Registers a call that runs; resolves and rejects as it does. */
  track: (run: Promise<void>) => Promise<void>;
  /** Waits up to 5 s for running calls, then aborts them. */
  stop: () => Promise<void>;
};

const STOP_WAIT_MS = 5_000;

export const createDetachedCalls = (): DetachedCalls => {
  const stopping = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    signal: stopping.signal,
    track: (run) => {
      running.add(run);
      return run.finally(() => running.delete(run));
    },
    stop: async () => {
      const timer = setTimeout(() => stopping.abort(), STOP_WAIT_MS);
      await Promise.allSettled(running);
      clearTimeout(timer);
    },
  };
};

import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '@witan/service-kit';

export type TopologyApplier = {
  /**
   * Creates or updates streams and consumers. Returns true if they exist within 5 s. Otherwise
   * returns false and continues in the background until they exist or `stop` is called.
   */
  apply: () => Promise<boolean>;
  stop: () => Promise<void>;
};

const SHORTEST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const FIRST_ATTEMPT_MS = 5_000;

/**
 * `options.apply` must be idempotent, because it is retried, and must time out, because `stop`
 * waits for it.
 */
export const createTopologyApplier = (options: {
  apply: () => Promise<void>;
  log: Log;
}): TopologyApplier => {
  const stopping = new AbortController();
  const runs = new Set<Promise<void>>();

  const attempt = async (): Promise<boolean> => {
    try {
      await options.apply();
      return true;
    } catch (error) {
      options.log.warn(
        { event: 'topology_apply_failed', err: error },
        'Could not create or update the JetStream streams and consumers, will retry',
      );
      return false;
    }
  };
  const retryUntilDone = async (): Promise<void> => {
    for (let waitMs = SHORTEST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
      await waitUnlessAborted(waitMs, stopping.signal);
      if (stopping.signal.aborted || (await attempt())) return;
    }
  };
  return {
    apply: async () => {
      const first = attempt();
      const run = first.then((isDone) => (isDone ? undefined : retryUntilDone()));
      runs.add(run);
      void run.finally(() => runs.delete(run));
      const timer = new AbortController();
      const isDone = await Promise.race([first, waitUnlessAborted(FIRST_ATTEMPT_MS, timer.signal)]);
      timer.abort();
      return isDone === true;
    },
    stop: async () => {
      stopping.abort();
      await Promise.all(runs);
    },
  };
};

const waitUnlessAborted = (waitMs: number, signal: AbortSignal): Promise<void> =>
  delay(waitMs, undefined, { signal }).catch(() => undefined);

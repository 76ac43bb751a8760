/** Documents whose vectors are of a model before or after the configured one. */
export type StaleDocuments = {
  exist: () => Promise<boolean>;
  /** Queues some of them again and returns their number; 0 if there are none. */
  reset: () => Promise<number>;
};

export type ResetStaleDeps = {
  stale: StaleDocuments;
  /** Monotonic clock, in milliseconds. */
  now: () => number;
  delayMs?: number | undefined;
  onReset: (documents: number) => void;
};

/**
 * Time for which a process must find stale documents before it queues them again. During a rollout,
 * replicas of two models share the queue, and would queue each other's finished documents again,
 * charged each time. Kubernetes gives a Deployment 10 minutes to progress, so one of them has ended
 * before.
 */
export const STALE_DELAY_MS = 15 * 60_000;

/**
 * Returns a function that queues stale documents again once there have been some for `delayMs`. It
 * resolves with true if it queued any.
 */
export const createResetStale = ({
  stale,
  now,
  delayMs = STALE_DELAY_MS,
  onReset,
}: ResetStaleDeps): (() => Promise<boolean>) => {
  let staleSince: number | undefined;
  return async () => {
    if (!(await stale.exist())) {
      staleSince = undefined;
      return false;
    }
    staleSince ??= now();
    if (now() - staleSince < delayMs) return false;
    const documents = await stale.reset();
    if (documents > 0) onReset(documents);
    return documents > 0;
  };
};

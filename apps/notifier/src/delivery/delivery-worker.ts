import type { AttemptResponse, DueDelivery, Settlement } from './delivery.ts';
import type { RetryPolicy } from './retry-schedule.ts';
import { isDisabling, releaseLease, settleAttempt } from './settle-attempt.ts';

export type DeliveryQueue = {
  /**
   * Leases and returns due deliveries: at most `max`, none of the ids in `leased`, and for each
   * webhook no more than its limit of concurrent attempts, counted over all replicas.
   */
  claim: (options: { max: number; leased: readonly string[] }) => Promise<DueDelivery[]>;
  /**
   * Writes the results of attempts. Skips deliveries that were leased again or deleted since, and
   * returns their number as `lateCount`.
   */
  settle: (settlements: readonly Settlement[]) => Promise<{ lateCount: number }>;
  /**
   * Disables the webhook of a delivery after a 410 that counts. Returns `unchanged` if it was
   * disabled before, and `outdated` if the response is void, because since the claim the webhook
   * was deleted, resumed or its URL changed.
   */
  disableGone: (due: DueDelivery) => Promise<'disabled' | 'unchanged' | 'outdated'>;
  nextDueMs: () => Promise<number | undefined>;
};

export type DeliveryWorkerDeps = {
  queue: DeliveryQueue;
  /** Ends the wait between two polls. */
  wakeSignal: { notify: () => void; wait: (timeoutMs: number) => Promise<void> };
  /**
   * Posts a delivery to its receiver. Rejects if `signal` aborts or if no request could be made,
   * for example because the secret cannot be decrypted; this does not count as an attempt.
   */
  attempt: (due: DueDelivery, signal: AbortSignal) => Promise<AttemptResponse>;
  retryPolicy: RetryPolicy;
  /**
   * Duration of a lease in milliseconds; must be longer than any attempt, or two replicas could
   * attempt the same delivery.
   */
  leaseMs: number;
  /** `tookMs` is the time from the claim of the delivery to the result of the attempt. */
  onAttempt: (due: DueDelivery, settlement: Settlement, tookMs: number) => void;
  onLate: (count: number) => void;
  /** Called once each time that a 410 disables a webhook. */
  onDisabled: (due: DueDelivery) => void;
  onFailure: (error: unknown, due?: DueDelivery) => void;
};

export type DeliveryWorker = {
  wake: () => void;
  /**
   * Stops claiming deliveries, waits up to `graceMs` for running attempts, then aborts them and
   * releases their leases.
   */
  stop: (graceMs: number) => Promise<void>;
};

/** Maximum number of concurrent attempts in one process. */
const IN_FLIGHT_MAX = 512;
/**
 * Longest interval between polls. Polling is needed because leases of crashed replicas expire
 * without a notification.
 */
const POLL_INTERVAL_MS = 5_000;
const QUEUE_RETRY_MS = 500;
/** Delay before a delivery is claimed again after its attempt threw an error. */
const ATTEMPT_RETRY_MS = 30_000;

export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const stopping = new AbortController();
  const { wakeSignal } = deps;
  const active = createActiveDeliveries(deps, {
    signal: stopping.signal,
    onEnd: wakeSignal.notify,
  });
  let isStopping = false;
  let hasStopped = false;
  const runTick = async (): Promise<number> => {
    await active.settle();
    if (isStopping) return POLL_INTERVAL_MS;
    // The next due time is read before the claim. In the reverse order, neither query would return
    // a delivery that becomes due in between.
    const nextMs = await deps.queue.nextDueMs();
    await active.claim();
    return Math.min(nextMs ?? POLL_INTERVAL_MS, POLL_INTERVAL_MS);
  };
  let tick: Promise<number> | undefined;
  const run = async (): Promise<void> => {
    while (!hasStopped) {
      tick = runTick().catch((error: unknown) => {
        deps.onFailure(error);
        return QUEUE_RETRY_MS;
      });
      await wakeSignal.wait(await tick);
    }
  };
  const running = run();
  return {
    wake: wakeSignal.notify,
    stop: async (graceMs) => {
      isStopping = true;
      // Waits for a running tick, because it may still claim deliveries.
      await tick;
      const stopped = new Error('The delivery worker stops.');
      const grace = setTimeout(() => stopping.abort(stopped), graceMs);
      await active.whenEnded();
      clearTimeout(grace);
      hasStopped = true;
      wakeSignal.notify();
      await running;
      // If the results cannot be written, the leases expire and the attempts are repeated.
      await active.settle().catch(deps.onFailure);
    },
  };
};

/**
 * Deliveries leased by this process: those with a running attempt, and those whose result is not
 * yet written.
 */
type ActiveDeliveries = {
  claim: () => Promise<void>;
  settle: () => Promise<void>;
  whenEnded: () => Promise<unknown>;
};

const createActiveDeliveries = (
  { queue, attempt, retryPolicy, leaseMs, ...deps }: DeliveryWorkerDeps,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): ActiveDeliveries => {
  /**
   * Running or finished attempts by delivery id. An entry exists from the claim until the result is
   * written.
   */
  const leased = new Map<string, Promise<void>>();
  let unwritten: Settlement[] = [];
  /**
   * Disables the webhook after a 410 that counts, before the delivery ends. After a crash in
   * between, the delivery waits until the webhook resumes.
   */
  const disableIfGone = async (due: DueDelivery, settled: Settlement): Promise<Settlement> => {
    if (!isDisabling(due, settled)) return settled;
    try {
      const outcome = await queue.disableGone(due);
      if (outcome === 'disabled') deps.onDisabled(due);
      return outcome === 'outdated' ? settled : { ...settled, state: 'failed', delayMs: 0 };
    } catch (error) {
      // The delivery follows its schedule, and a later 410 can disable the webhook.
      deps.onFailure(error);
      return settled;
    }
  };
  const runAttempt = async (due: DueDelivery): Promise<void> => {
    const startedAt = performance.now();
    const settlement = await attempt(due, signal).then(
      async (response) => {
        // A failure after the lease expired is not counted, because another replica may have made
        // the attempt meanwhile.
        if (response.error !== null && performance.now() - startedAt > leaseMs)
          return releaseLease(due, { delayMs: 0 });
        return disableIfGone(due, settleAttempt(due, response, retryPolicy));
      },
      (error: unknown) => {
        if (signal.aborted) return releaseLease(due, { delayMs: 0 });
        deps.onFailure(error, due);
        return releaseLease(due, { delayMs: ATTEMPT_RETRY_MS });
      },
    );
    deps.onAttempt(due, settlement, performance.now() - startedAt);
    unwritten.push(settlement);
    onEnd();
  };
  return {
    claim: async () => {
      const max = IN_FLIGHT_MAX - leased.size;
      if (max === 0) return;
      const due = await queue.claim({ max, leased: [...leased.keys()] });
      for (const delivery of due) leased.set(delivery.id, runAttempt(delivery));
    },
    settle: async () => {
      if (unwritten.length === 0) return;
      const settlements = unwritten;
      unwritten = [];
      try {
        const { lateCount } = await queue.settle(settlements);
        if (lateCount > 0) deps.onLate(lateCount);
        for (const { id } of settlements) leased.delete(id);
      } catch (error) {
        unwritten = [...settlements, ...unwritten];
        throw error;
      }
    },
    whenEnded: () => Promise.all(leased.values()),
  };
};

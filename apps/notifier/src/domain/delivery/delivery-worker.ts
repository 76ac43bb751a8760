import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';
import { releaseLease, settleAttempt } from './settle-attempt.ts';

/** The deliveries of all workspaces, due and leased, shared by all replicas. */
export type DeliveryQueue = {
  /**
   * Leases deliveries whose next attempt is due: at most `max`, none in `leased`, and for each
   * webhook at most its limit of attempts in flight over all replicas.
   */
  claim: (options: { max: number; leased: readonly string[] }) => Promise<DueDelivery[]>;
  /** Writes the results of attempts, except those leased by another replica meanwhile. */
  settle: (settlements: readonly Settlement[]) => Promise<{ late: number }>;
  /** Returns the milliseconds until the next attempt is due; undefined if there is none. */
  nextDueMs: () => Promise<number | undefined>;
};

export type DeliveryWorkerDeps = {
  queue: DeliveryQueue;
  /** Makes the attempt; rejects if it could not be made, which does not count as an attempt. */
  attempt: (due: DueDelivery, signal: AbortSignal) => Promise<AttemptResult>;
  retryDelaysMs: readonly number[];
  /** Must be longer than any attempt. */
  leaseMs: number;
  /** `tookMs` is the time from claim to end. */
  onAttempt: (due: DueDelivery, settlement: Settlement, tookMs: number) => void;
  onLate: (count: number) => void;
  onFailure: (error: unknown, due?: DueDelivery) => void;
};

export type DeliveryWorker = {
  /** Makes the worker check for due deliveries. */
  wake: () => void;
  /** Stops claiming, waits up to `graceMs` for running attempts and releases the other leases. */
  stop: (graceMs: number) => Promise<void>;
};

/** Concurrent attempts of one process. */
const IN_FLIGHT_MAX = 512;
/** Polls without a wake signal, because another replica's leases may expire; in milliseconds. */
const POLL_INTERVAL_MS = 5_000;
const QUEUE_RETRY_MS = 500;
/** Delay before an attempt that could not be made is retried, in milliseconds. */
const NOT_MADE_RETRY_MS = 30_000;

/** Starts sending. Each tick settles ended attempts, claims due deliveries and starts them. */
export const createDeliveryWorker = (deps: DeliveryWorkerDeps): DeliveryWorker => {
  const stopping = new AbortController();
  let isStopping = false;
  const load = createLoad(deps, { signal: stopping.signal, onEnd: () => ticker.wake() });
  const runTick = async (): Promise<number> => {
    await load.settle();
    if (isStopping) return POLL_INTERVAL_MS;
    // Read before the claim, which takes everything that becomes due until then.
    const nextMs = await deps.queue.nextDueMs();
    await load.claim();
    return Math.min(nextMs ?? POLL_INTERVAL_MS, POLL_INTERVAL_MS);
  };
  const ticker = createTicker(runTick, deps.onFailure);
  ticker.wake();
  return {
    wake: () => {
      if (!isStopping) ticker.wake();
    },
    stop: async (graceMs) => {
      isStopping = true;
      // A running tick may still claim.
      await ticker.whenIdle();
      const stopped = new Error('The delivery worker stops.');
      const grace = setTimeout(() => stopping.abort(stopped), graceMs);
      await load.whenEnded();
      clearTimeout(grace);
      await ticker.stop();
      // Attempts whose results cannot be written now are repeated when their leases expire.
      await load.settle().catch(deps.onFailure);
    },
  };
};

/** The deliveries leased by this process: running attempts and results not yet written. */
type Load = {
  claim: () => Promise<void>;
  settle: () => Promise<void>;
  /** Resolves when no attempt is running. */
  whenEnded: () => Promise<unknown>;
};

const createLoad = (
  { queue, attempt, retryDelaysMs, leaseMs, ...deps }: DeliveryWorkerDeps,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): Load => {
  /** Running attempts by delivery id, from claim to settlement. */
  const leased = new Map<string, Promise<void>>();
  let ended: Settlement[] = [];
  const runAttempt = async (due: DueDelivery): Promise<void> => {
    const startedAt = performance.now();
    const settlement = await attempt(due, signal).then(
      (result) =>
        // This process stalled beyond the lease, so another replica may have made the attempt.
        result.error !== null && performance.now() - startedAt > leaseMs
          ? releaseLease(due, { delayMs: 0 })
          : settleAttempt(due, result, retryDelaysMs),
      (error: unknown) => {
        if (signal.aborted) return releaseLease(due, { delayMs: 0 });
        deps.onFailure(error, due);
        return releaseLease(due, { delayMs: NOT_MADE_RETRY_MS });
      },
    );
    deps.onAttempt(due, settlement, performance.now() - startedAt);
    ended.push(settlement);
    onEnd();
  };
  return {
    claim: async () => {
      const max = IN_FLIGHT_MAX - leased.size;
      if (max === 0) return;
      const due = await queue.claim({ max, leased: [...leased.keys()] });
      for (const one of due) leased.set(one.id, runAttempt(one));
    },
    settle: async () => {
      if (ended.length === 0) return;
      const settlements = ended;
      ended = [];
      try {
        const { late } = await queue.settle(settlements);
        if (late > 0) deps.onLate(late);
        for (const { id } of settlements) leased.delete(id);
      } catch (error) {
        ended = [...settlements, ...ended];
        throw error;
      }
    },
    whenEnded: () => Promise.all(leased.values()),
  };
};

type Ticks = {
  /** Requests a tick: now, or after the running one. */
  wake: () => void;
  whenIdle: () => Promise<void>;
  /** Cancels the timer and waits for the running tick. */
  stop: () => Promise<void>;
};

/** Runs one tick at a time; each returns the longest delay of the next, in milliseconds. */
const createTicker = (
  runTick: () => Promise<number>,
  onFailure: (error: unknown) => void,
): Ticks => {
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWanted = false;
  const wake = (): void => {
    isWanted = true;
    running ??= runTicks().finally(() => {
      running = undefined;
      // `wake` may have been called since the loop last checked.
      if (isWanted) wake();
    });
  };
  const runTicks = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      clearTimeout(timer);
      const waitMs = await runTick().catch((error: unknown) => {
        onFailure(error);
        return QUEUE_RETRY_MS;
      });
      timer = setTimeout(wake, waitMs).unref();
    }
  };
  const whenIdle = async (): Promise<void> => {
    while (running) await running;
  };
  return {
    wake,
    whenIdle,
    stop: async () => {
      await whenIdle();
      clearTimeout(timer);
    },
  };
};

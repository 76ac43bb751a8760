import type { Caller } from '@witan/dialects';
import { toAbandonedFailure } from '../record/debate-failure.ts';
import { LeaseLostError } from '../record/debate-store.ts';
import type {
  DebateArchive,
  DebateStore,
  LeasedDebate,
  StoredDebate,
} from '../record/debate-store.ts';
import { runDebate } from '../run-debate.ts';
import type { RunDebateDeps } from '../run-debate.ts';
import type { LocalDebates } from './local-debates.ts';
import { openBatchWriter } from './open-batch-writer.ts';
import type { DebateDelta } from './local-debates.ts';

export type DebateRunner = {
  /** Resolves when the debate no longer runs in this process; never rejects. */
  run: (leased: LeasedDebate, debate: StoredDebate) => Promise<void>;
  stop: () => Promise<void>;
};

export type DebateRunnerDeps = Omit<
  RunDebateDeps,
  'writer' | 'hasListeners' | 'onDelta' | 'ensureActive' | 'checkLease'
> & {
  store: Pick<DebateStore, 'acquire' | 'renew' | 'release' | 'save'>;
  archive: Pick<DebateArchive, 'load'>;
  localDebates: Pick<LocalDebates, 'register' | 'hasListeners' | 'onStored' | 'onDelta'>;
  onFailure: (error: unknown, leased?: LeasedDebate) => void;
  leaseMs?: number;
  pollEveryMs?: number;
  graceMs?: number;
};

export const LEASE_MS = 30_000;
const POLLS_PER_LEASE = 6;
const GRACE_MS = 10_000;
const STOPPED = new Error('The service stops.');
/**
 * Number of debates running in this process at which it stops resuming debates of other processes.
 */
const RESUMED_MAX = 32;
/**
 * Number of leases without a stored step after which a debate is failed, because it probably
 * crashes every process.
 */
const ATTEMPTS_MAX = 4;

export const openDebateRunner = (deps: DebateRunnerDeps): DebateRunner => {
  const { store, onFailure, leaseMs = LEASE_MS, pollEveryMs = leaseMs / POLLS_PER_LEASE } = deps;
  const { graceMs = GRACE_MS } = deps;
  /** `stopping` prevents new steps; `ending`, after the grace period, also aborts running calls. */
  const stopping = new AbortController();
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  const run = (leased: LeasedDebate, newDebate?: StoredDebate): Promise<void> => {
    const runEnded = runLeased(leased, newDebate, {
      ...deps,
      leaseMs,
      signal: ending.signal,
      stopping: stopping.signal,
    });
    running.add(runEnded);
    void runEnded.finally(() => running.delete(runEnded));
    return runEnded;
  };
  let polling: Promise<void> | undefined;
  const poll = async (): Promise<void> => {
    try {
      while (!stopping.signal.aborted && running.size < RESUMED_MAX) {
        const leased = await store.acquire(leaseMs);
        if (!leased) return;
        void run(leased);
      }
    } catch (error) {
      onFailure(error);
    }
  };
  const startPolling = (): void => {
    polling ??= poll().finally(() => {
      polling = undefined;
    });
  };
  const timer = setInterval(startPolling, pollEveryMs).unref();
  startPolling();
  return {
    run,
    stop: async () => {
      clearInterval(timer);
      stopping.abort(STOPPED);
      await polling;
      const graceTimer = setTimeout(() => ending.abort(STOPPED), graceMs);
      await Promise.all(running);
      clearTimeout(graceTimer);
    },
  };
};

type RunLeasedDeps = DebateRunnerDeps & {
  leaseMs: number;
  signal: AbortSignal;
  stopping: AbortSignal;
};

const runLeased = async (
  leased: LeasedDebate,
  newDebate: StoredDebate | undefined,
  deps: RunLeasedDeps,
): Promise<void> => {
  const { store, archive, localDebates, leaseMs, onFailure } = deps;
  const leaseLost = new AbortController();
  const signal = AbortSignal.any([deps.signal, leaseLost.signal]);
  const lease = createLease(leased, deps);
  const renewTimer = setInterval(() => {
    lease
      .renew()
      .then((isLeaseValid) => isLeaseValid || leaseLost.abort(new LeaseLostError()), onFailure);
  }, leaseMs / 3);
  const unregister = localDebates.register(leased.id, lease.isLeaseValid);
  try {
    const debate = newDebate ?? (await archive.load(leased.workspaceId, leased.id));
    if (!debate || debate.state !== 'running') return;
    const writer = openBatchWriter(async (steps) => {
      await store.save(leased, steps);
      localDebates.onStored(leased.id);
    });
    if (leased.attempts > ATTEMPTS_MAX) {
      await writer.write({ kind: 'failed', failure: toAbandonedFailure(debate.origin) });
      return;
    }
    const { requestId, config } = debate;
    const { actorId = '' } = config;
    const caller: Caller = { workspaceId: leased.workspaceId, requestId, actorId, signal };
    const onDelta = (delta: DebateDelta): void => localDebates.onDelta(leased.id, delta);
    const hasListeners = (): boolean => localDebates.hasListeners(leased.id);
    const ensureActive = async (): Promise<void> => {
      deps.stopping.throwIfAborted();
      await lease.check();
    };
    await runDebate(debate, caller, {
      ...deps,
      writer,
      ensureActive,
      checkLease: lease.check,
      hasListeners,
      onDelta,
    });
  } catch (error) {
    if (error instanceof LeaseLostError || leaseLost.signal.aborted) return;
    // The lease is released only if this process stops. After another error its remaining time is
    // the backoff before the next attempt.
    if (error === STOPPED || deps.signal.aborted) await store.release(leased).catch(onFailure);
    else onFailure(error, leased);
  } finally {
    unregister();
    clearInterval(renewTimer);
    leaseLost.abort(new LeaseLostError());
  }
};

/**
 * Tracks whether a lease is valid with the monotonic clock, which also advances while the process
 * is paused.
 */
const createLease = (
  leased: LeasedDebate,
  { store, leaseMs }: Pick<RunLeasedDeps, 'store' | 'leaseMs'>,
) => {
  let endsAt = leased.leasedAt + leaseMs;
  const isLeaseValid = (): boolean => performance.now() < endsAt;
  const renew = async (): Promise<boolean> => {
    const askedAt = performance.now();
    const isRenewed = await store.renew(leased, leaseMs);
    endsAt = isRenewed ? askedAt + leaseMs : 0;
    return isRenewed;
  };
  return {
    isLeaseValid,
    renew,
    check: async (): Promise<void> => {
      if (!isLeaseValid() && !(await renew())) throw new LeaseLostError();
    },
  };
};

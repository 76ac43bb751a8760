import type { Caller } from '../../model/model-call.ts';
import { toAbandoned } from '../record/debate-failure.ts';
import { LeaseLost } from '../record/debate-store.ts';
import type {
  DebateArchive,
  DebateStore,
  LeasedDebate,
  StoredDebate,
} from '../record/debate-store.ts';
import { runDebate } from '../run-debate.ts';
import type { RunDebateDeps } from '../run-debate.ts';
import type { DebateBoard } from './debate-board.ts';
import { openBatchWriter } from './open-batch-writer.ts';

/** Holds the debates of this process, and takes up those that others left behind. */
export type DebateRunner = {
  /**
   * Holds a debate that the caller just began and was given the lease of. Resolves when it is over
   * here; never rejects.
   */
  run: (leased: LeasedDebate, debate: StoredDebate) => Promise<void>;
  /** Gives back what it holds, so that another replica takes it, and begins nothing more. */
  stop: () => Promise<void>;
};

export type DebateRunnerDeps = Omit<
  RunDebateDeps,
  'writer' | 'hasListeners' | 'onDelta' | 'ensureActive' | 'checkLease'
> & {
  store: Pick<DebateStore, 'acquire' | 'renew' | 'release' | 'save'>;
  archive: Pick<DebateArchive, 'load'>;
  /** Those who follow a debate in this process. */
  board: Pick<DebateBoard, 'register' | 'hasListeners' | 'onStored' | 'onDelta'>;
  onFailure: (error: unknown, leased?: LeasedDebate) => void;
  /** How long a debate stays with a process that does not say that it is alive. */
  leaseMs?: number;
  /** How often it looks for debates that were left behind; six times a lease by default. */
  pollEveryMs?: number;
  /** How long a process that stops waits for the calls that run. */
  graceMs?: number;
};

/** What an agent is just saying. */
export type DebateDelta = { roundNumber: number; agentId: string; text: string };

export const LEASE_MS = 30_000;
const POLLS_PER_LEASE = 6;
const GRACE_MS = 10_000;
const STOPPED = new Error('The service stops.');
/** Debates that one process takes up beside those that were begun in it. */
const RESUMED_MAX = 32;
/** A debate that ends each process that holds it is given up. */
const ATTEMPTS_MAX = 4;

/** Starts a runner. Several may run on one database, as replicas do. */
export const openDebateRunner = (deps: DebateRunnerDeps): DebateRunner => {
  const { store, onFailure, leaseMs = LEASE_MS, pollEveryMs = leaseMs / POLLS_PER_LEASE } = deps;
  const { graceMs = GRACE_MS } = deps;
  /** Nothing more is begun; then, nothing more is waited for. */
  const stopping = new AbortController();
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  const run = (leased: LeasedDebate, begun?: StoredDebate): Promise<void> => {
    const ended = runLeased(leased, begun, {
      ...deps,
      leaseMs,
      signal: ending.signal,
      stopping: stopping.signal,
    });
    running.add(ended);
    void ended.finally(() => running.delete(ended));
    return ended;
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
      // Answers that models are just giving are paid for.
      const graceTimer = setTimeout(() => ending.abort(STOPPED), graceMs);
      await Promise.all(running);
      clearTimeout(graceTimer);
    },
  };
};

type RunLeasedDeps = DebateRunnerDeps & {
  leaseMs: number;
  /** Nothing more is waited for. */
  signal: AbortSignal;
  /** Nothing more is begun. */
  stopping: AbortSignal;
};

/**
 * Holds one debate and keeps the lease meanwhile; one that was not just begun is read first. Never
 * rejects.
 */
const runLeased = async (
  leased: LeasedDebate,
  begun: StoredDebate | undefined,
  deps: RunLeasedDeps,
): Promise<void> => {
  const { store, archive, board, leaseMs, onFailure } = deps;
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const lease = createLease(leased, deps);
  const renewTimer = setInterval(() => {
    lease.renew().then((isLeaseValid) => isLeaseValid || lost.abort(new LeaseLost()), onFailure);
  }, leaseMs / 3);
  const unregister = board.register(leased.id, lease.isLeaseValid);
  try {
    const debate = begun ?? (await archive.load(leased.workspaceId, leased.id));
    if (!debate || debate.state !== 'running') return;
    const writer = openBatchWriter(async (steps) => {
      board.onStored(leased.id, await store.save(leased, steps));
    });
    if (leased.attempts > ATTEMPTS_MAX) {
      await writer.write({ kind: 'failed', failure: toAbandoned(debate.origin) });
      return;
    }
    const caller: Caller = { workspaceId: leased.workspaceId, requestId: debate.requestId, signal };
    const onDelta = (delta: DebateDelta): void => board.onDelta(leased.id, delta);
    const hasListeners = (): boolean => board.hasListeners(leased.id);
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
    // Somebody else has it, or it was deleted: nothing is left to be done here.
    if (error instanceof LeaseLost || lost.signal.aborted) return;
    // Else it stays until its lease is over: what fails again and again is not tried at once.
    if (error === STOPPED || deps.signal.aborted) await store.release(leased).catch(onFailure);
    else onFailure(error, leased);
  } finally {
    unregister();
    clearInterval(renewTimer);
    // Whatever ended it: no call of it is waited for, or paid for, any longer.
    lost.abort(new LeaseLost());
  }
};

/** A lease by the clock of this process, which goes on while the process is stopped. */
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
    /** For certain: nobody else has it before it ends. */
    isLeaseValid,
    /** False: it is another's. */
    renew,
    /** Rejects with `LeaseLost` when it ended and is another's by now; then nothing is asked. */
    check: async (): Promise<void> => {
      if (!isLeaseValid() && !(await renew())) throw new LeaseLost();
    },
  };
};

import type { Caller } from '../../model/model-call.ts';
import { toGivenUp } from '../record/debate-failure.ts';
import { DebateLost } from '../record/debate-store.ts';
import type {
  DebateArchive,
  DebateStore,
  HeldDebate,
  StoredDebate,
} from '../record/debate-store.ts';
import { holdDebate } from '../hold-debate.ts';
import type { HoldDebateDeps } from '../hold-debate.ts';
import type { DebateBoard } from './debate-board.ts';
import { openScribe } from './open-scribe.ts';

/** Holds the debates of this process, and takes up those that others left behind. */
export type DebateRunner = {
  /**
   * Holds a debate that the caller just began and was given the lease of. Resolves when it is over
   * here; never rejects.
   */
  run: (held: HeldDebate, debate: StoredDebate) => Promise<void>;
  /** Gives back what it holds, so that another replica takes it, and begins nothing more. */
  stop: () => Promise<void>;
};

export type DebateRunnerDeps = Omit<
  HoldDebateDeps,
  'scribe' | 'isHeard' | 'onDelta' | 'standBy' | 'checkLease'
> & {
  store: Pick<DebateStore, 'lease' | 'renew' | 'release' | 'save'>;
  archive: Pick<DebateArchive, 'load'>;
  /** Those who follow a debate in this process. */
  board: Pick<DebateBoard, 'hold' | 'isHeard' | 'onKept' | 'onDelta'>;
  onFailure: (error: unknown, held?: HeldDebate) => void;
  /** How long a debate stays with a process that does not say that it is alive. */
  leaseMs?: number;
  /** How often it looks for debates that were left behind; six times a lease by default. */
  lookEveryMs?: number;
  /** How long a process that stops waits for the calls that run. */
  graceMs?: number;
};

/** What an agent is just saying. */
export type DebateDelta = { roundNumber: number; agentId: string; text: string };

export const LEASE_MS = 30_000;
const LOOKS_PER_LEASE = 6;
const GRACE_MS = 10_000;
const STOPS = new Error('The service stops.');
/** Debates that one process takes up beside those that were begun in it. */
const TAKEN_UP_MAX = 32;
/** A debate that ends each process that holds it is given up. */
const ATTEMPTS_MAX = 4;

/** Starts a runner. Several may run on one database, as replicas do. */
export const openDebateRunner = (deps: DebateRunnerDeps): DebateRunner => {
  const { store, onFailure, leaseMs = LEASE_MS, lookEveryMs = leaseMs / LOOKS_PER_LEASE } = deps;
  const { graceMs = GRACE_MS } = deps;
  /** Nothing more is begun; then, nothing more is waited for. */
  const stopping = new AbortController();
  const ending = new AbortController();
  const running = new Set<Promise<void>>();
  const run = (held: HeldDebate, begun?: StoredDebate): Promise<void> => {
    const held$ = holdLeased(held, begun, {
      ...deps,
      leaseMs,
      signal: ending.signal,
      stopping: stopping.signal,
    });
    running.add(held$);
    void held$.finally(() => running.delete(held$));
    return held$;
  };
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    try {
      while (!stopping.signal.aborted && running.size < TAKEN_UP_MAX) {
        const held = await store.lease(leaseMs);
        if (!held) return;
        void run(held);
      }
    } catch (error) {
      onFailure(error);
    }
  };
  const lookAgain = (): void => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  };
  const timer = setInterval(lookAgain, lookEveryMs).unref();
  lookAgain();
  return {
    run,
    stop: async () => {
      clearInterval(timer);
      stopping.abort(STOPS);
      await looking;
      // Answers that models are just giving are paid for.
      const patience = setTimeout(() => ending.abort(STOPS), graceMs);
      await Promise.all(running);
      clearTimeout(patience);
    },
  };
};

type Leased = DebateRunnerDeps & {
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
const holdLeased = async (
  held: HeldDebate,
  begun: StoredDebate | undefined,
  deps: Leased,
): Promise<void> => {
  const { store, archive, board, leaseMs, onFailure } = deps;
  const lost = new AbortController();
  const signal = AbortSignal.any([deps.signal, lost.signal]);
  const lease = openLease(held, deps);
  const renewing = setInterval(() => {
    lease.renew().then((isOurs) => isOurs || lost.abort(new DebateLost()), onFailure);
  }, leaseMs / 3);
  const letGo = board.hold(held.id, lease.isOurs);
  try {
    const debate = begun ?? (await archive.load(held.workspaceId, held.id));
    if (!debate || debate.state !== 'running') return;
    const scribe = openScribe(async (steps) => {
      board.onKept(held.id, await store.save(held, steps));
    });
    if (held.attempts > ATTEMPTS_MAX) {
      await scribe.write({ kind: 'failed', failure: toGivenUp(debate.place) });
      return;
    }
    const caller: Caller = { workspaceId: held.workspaceId, requestId: debate.requestId, signal };
    const onDelta = (delta: DebateDelta): void => board.onDelta(held.id, delta);
    const isHeard = (): boolean => board.isHeard(held.id);
    const standBy = async (): Promise<void> => {
      deps.stopping.throwIfAborted();
      await lease.check();
    };
    await holdDebate(debate, caller, {
      ...deps,
      scribe,
      standBy,
      checkLease: lease.check,
      isHeard,
      onDelta,
    });
  } catch (error) {
    // Somebody else has it, or it was deleted: nothing is left to be done here.
    if (error instanceof DebateLost || lost.signal.aborted) return;
    // Else it stays until its lease is over: what fails again and again is not tried at once.
    if (error === STOPS || deps.signal.aborted) await store.release(held).catch(onFailure);
    else onFailure(error, held);
  } finally {
    letGo();
    clearInterval(renewing);
    // Whatever ended it: no call of it is waited for, or paid for, any longer.
    lost.abort(new DebateLost());
  }
};

/** A lease by the clock of this process, which goes on while the process is stopped. */
const openLease = (held: HeldDebate, { store, leaseMs }: Pick<Leased, 'store' | 'leaseMs'>) => {
  let endsAt = held.leasedAt + leaseMs;
  const isOurs = (): boolean => performance.now() < endsAt;
  const renew = async (): Promise<boolean> => {
    const askedAt = performance.now();
    const isRenewed = await store.renew(held, leaseMs);
    endsAt = isRenewed ? askedAt + leaseMs : 0;
    return isRenewed;
  };
  return {
    /** For certain: nobody else has it before it ends. */
    isOurs,
    /** False: it is another's. */
    renew,
    /** Rejects with `DebateLost` when it ended and is another's by now; then nothing is asked. */
    check: async (): Promise<void> => {
      if (!isOurs() && !(await renew())) throw new DebateLost();
    },
  };
};

import type { AttemptResult, DueDelivery, Settlement } from './delivery.ts';
import { giveBack, settleAttempt } from './settle-attempt.ts';

/** The deliveries of all workspaces, due and leased; the truth that replicas share. */
export type DeliveryQueue = {
  /**
   * Leases deliveries whose next attempt is due: at most `max`, none that is in `held`, of one
   * webhook only as many as it may have in flight anywhere.
   */
  claim: (options: { max: number; held: readonly string[] }) => Promise<DueDelivery[]>;
  /** Writes what attempts led to; what somebody else leased meanwhile is left alone. */
  settle: (settlements: readonly Settlement[]) => Promise<{ late: number }>;
  /** Milliseconds until the next attempt of anybody becomes due; undefined: none waits. */
  nextDueMs: () => Promise<number | undefined>;
};

export type CourierDeps = {
  queue: DeliveryQueue;
  /** Makes the attempt; rejects when it could not be made, which costs the delivery nothing. */
  attempt: (due: DueDelivery, signal: AbortSignal) => Promise<AttemptResult>;
  /** Waits between attempts, in milliseconds. */
  retryDelaysMs: readonly number[];
  /** How long a claim holds, in milliseconds: longer than any attempt takes. */
  leaseMs: number;
  /** `tookMs` is from its claim to its end. */
  onAttempt: (due: DueDelivery, settlement: Settlement, tookMs: number) => void;
  onLate: (count: number) => void;
  onFailure: (error: unknown, due?: DueDelivery) => void;
};

/** Sends what is due, for as long as it is open. */
export type Courier = {
  /** There may be something new to send. */
  wake: () => void;
  /** Claims nothing more, and gives attempts that run `graceMs` to end; the rest is given back. */
  stop: (graceMs: number) => Promise<void>;
};

/** Attempts of one process at once. */
const IN_FLIGHT_MAX = 512;
/** Looks even when nobody called: another replica's leases may have ended, in milliseconds. */
const LOOK_EVERY_MS = 5_000;
/** After the queue failed, in milliseconds. */
const QUEUE_RETRY_MS = 500;
/** Before an attempt that could not be made is tried again, in milliseconds. */
const NOT_MADE_RETRY_MS = 30_000;

/** Begins to send. Turns follow each other: settle what ended, claim what is due, start it. */
export const openCourier = (deps: CourierDeps): Courier => {
  const stopping = new AbortController();
  let isStopping = false;
  const load = createLoad(deps, { signal: stopping.signal, onEnd: () => turns.wake() });
  const runTurn = async (): Promise<number> => {
    await load.settle();
    if (isStopping) return LOOK_EVERY_MS;
    // Asked before the claim, which takes all that becomes due until then.
    const nextMs = await deps.queue.nextDueMs();
    await load.claim();
    return Math.min(nextMs ?? LOOK_EVERY_MS, LOOK_EVERY_MS);
  };
  const turns = createTurns(runTurn, deps.onFailure);
  turns.wake();
  return {
    wake: () => {
      if (!isStopping) turns.wake();
    },
    stop: async (graceMs) => {
      isStopping = true;
      // A turn that runs may still claim.
      await turns.whenIdle();
      const grace = setTimeout(() => stopping.abort(new Error('The courier stops.')), graceMs);
      await load.whenEnded();
      clearTimeout(grace);
      await turns.stop();
      // What cannot be written now is repeated when its lease ends.
      await load.settle().catch(deps.onFailure);
    },
  };
};

/** What this process holds the leases of: attempts that run, and results that are not written. */
type Load = {
  claim: () => Promise<void>;
  settle: () => Promise<void>;
  /** Resolves when no attempt runs any more. */
  whenEnded: () => Promise<unknown>;
};

const createLoad = (
  { queue, attempt, retryDelaysMs, leaseMs, ...deps }: CourierDeps,
  { signal, onEnd }: { signal: AbortSignal; onEnd: () => void },
): Load => {
  /** From claimed to settled. */
  const held = new Map<string, Promise<void>>();
  let ended: Settlement[] = [];
  const carry = async (due: DueDelivery): Promise<void> => {
    const startedAt = performance.now();
    const settlement = await attempt(due, signal).then(
      (result) =>
        // This process hung: the receiver may have answered, and somebody have repeated it.
        result.error !== null && performance.now() - startedAt > leaseMs
          ? giveBack(due, { delayMs: 0 })
          : settleAttempt(due, result, retryDelaysMs),
      (error: unknown) => {
        if (signal.aborted) return giveBack(due, { delayMs: 0 });
        deps.onFailure(error, due);
        return giveBack(due, { delayMs: NOT_MADE_RETRY_MS });
      },
    );
    deps.onAttempt(due, settlement, performance.now() - startedAt);
    ended.push(settlement);
    onEnd();
  };
  return {
    claim: async () => {
      const max = IN_FLIGHT_MAX - held.size;
      if (max === 0) return;
      const due = await queue.claim({ max, held: [...held.keys()] });
      for (const one of due) held.set(one.id, carry(one));
    },
    settle: async () => {
      if (ended.length === 0) return;
      const settlements = ended;
      ended = [];
      try {
        const { late } = await queue.settle(settlements);
        if (late > 0) deps.onLate(late);
        for (const { id } of settlements) held.delete(id);
      } catch (error) {
        ended = [...settlements, ...ended];
        throw error;
      }
    },
    whenEnded: () => Promise.all(held.values()),
  };
};

type Turns = {
  /** Asks for a turn: at once, or behind the one that runs. */
  wake: () => void;
  whenIdle: () => Promise<void>;
  /** Begins none by itself any more, and waits for the one that runs. */
  stop: () => Promise<void>;
};

/** One turn at a time; each says how long the next may wait, in milliseconds. */
const createTurns = (
  runTurn: () => Promise<number>,
  onFailure: (error: unknown) => void,
): Turns => {
  let turning: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWanted = false;
  const wake = (): void => {
    isWanted = true;
    turning ??= runTurns().finally(() => {
      turning = undefined;
      // Somebody may have called between the last look and this moment.
      if (isWanted) wake();
    });
  };
  const runTurns = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      clearTimeout(timer);
      const waitMs = await runTurn().catch((error: unknown) => {
        onFailure(error);
        return QUEUE_RETRY_MS;
      });
      timer = setTimeout(wake, waitMs).unref();
    }
  };
  const whenIdle = async (): Promise<void> => {
    while (turning) await turning;
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

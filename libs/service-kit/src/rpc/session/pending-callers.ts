import { unavailable } from '@witan/contracts';
import type { CallOptions } from '../call.ts';
import { startClock } from './start-clock.ts';

/** Limits the memory of pending callers. */
const WAITING_MAX = 10_000;

/** Callers that wait for a session. */
export type PendingCallers<T> = {
  /** Rejects with UNAVAILABLE, DEADLINE_EXCEEDED or CANCELLED. */
  wait: (options: WaitOptions) => Promise<T>;
  /** Resolves every pending caller with a value of its own. */
  admit: (next: () => T) => void;
  /** Rejects every pending caller. */
  refuse: (error: unknown) => void;
};

export type WaitOptions = Pick<CallOptions, 'signal'> & {
  /** After this wait the caller gets UNAVAILABLE, in milliseconds. */
  patienceMs: number;
  /** If shorter, the caller gets DEADLINE_EXCEEDED after it, in milliseconds. */
  timeoutMs?: number;
};

type PendingCaller<T> = {
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  stopClock: () => void;
};

/** `cause` returns the last connection error, if any. */
export const createPendingCallers = <T>(cause: () => unknown): PendingCallers<T> => {
  const pending = new Set<PendingCaller<T>>();
  const empty = (settle: (waiting: PendingCaller<T>) => void): void => {
    for (const waiting of pending) {
      pending.delete(waiting);
      waiting.stopClock();
      settle(waiting);
    }
  };
  return {
    wait: ({ patienceMs, timeoutMs = Infinity, ...options }) =>
      new Promise((resolve, reject) => {
        if (pending.size >= WAITING_MAX) throw unavailable(NOT_REACHABLE, cause());
        const limit = { ...options, timeoutMs: Math.min(timeoutMs, patienceMs) };
        const stopClock = startClock(limit, (reason) => {
          pending.delete(waiting);
          const isUnreachable = reason.reason === 'DEADLINE_EXCEEDED' && patienceMs < timeoutMs;
          reject(isUnreachable ? unavailable(NOT_REACHABLE, cause()) : reason);
        });
        const waiting: PendingCaller<T> = { resolve, reject, stopClock };
        pending.add(waiting);
      }),
    admit: (next) => empty(({ resolve }) => resolve(next())),
    refuse: (error) => empty(({ reject }) => reject(error)),
  };
};

const NOT_REACHABLE = 'A service that this call needs is not reachable.';

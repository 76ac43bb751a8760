import { unavailable } from '@witan/contracts';
import type { CallOptions } from '../call.ts';
import { startClock } from './start-clock.ts';

/** Beyond this many callers, waiting would only cost memory. */
const WAITING_MAX = 10_000;

/** Where callers wait for something that does not exist yet. */
export type WaitingRoom<T> = {
  /** Rejects with UNAVAILABLE, DEADLINE_EXCEEDED or CANCELLED. */
  wait: (options: WaitOptions) => Promise<T>;
  /** Gives every caller that waits its own. */
  admit: (next: () => T) => void;
  /** Everybody who waits fails. */
  refuse: (error: unknown) => void;
};

export type WaitOptions = Pick<CallOptions, 'signal'> & {
  /** Whoever waits this long is told UNAVAILABLE, in milliseconds. */
  patienceMs: number;
  /** Whose time ends before is told DEADLINE_EXCEEDED, in milliseconds. */
  timeoutMs?: number;
};

type Waiting<T> = {
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  stopClock: () => void;
};

/** Creates an empty room. `cause` says why somebody waited in vain, if anything is known. */
export const createWaitingRoom = <T>(cause: () => unknown): WaitingRoom<T> => {
  const room = new Set<Waiting<T>>();
  const empty = (tell: (waiting: Waiting<T>) => void): void => {
    for (const waiting of room) {
      room.delete(waiting);
      waiting.stopClock();
      tell(waiting);
    }
  };
  return {
    wait: ({ patienceMs, timeoutMs = Infinity, ...options }) =>
      new Promise((resolve, reject) => {
        if (room.size >= WAITING_MAX) throw unavailable(NOT_REACHABLE, cause());
        const limit = { ...options, timeoutMs: Math.min(timeoutMs, patienceMs) };
        const stopClock = startClock(limit, (reason) => {
          room.delete(waiting);
          const isPatient = reason.reason === 'DEADLINE_EXCEEDED' && patienceMs < timeoutMs;
          reject(isPatient ? unavailable(NOT_REACHABLE, cause()) : reason);
        });
        const waiting: Waiting<T> = { resolve, reject, stopClock };
        room.add(waiting);
      }),
    admit: (next) => empty(({ resolve }) => resolve(next())),
    refuse: (error) => empty(({ reject }) => reject(error)),
  };
};

const NOT_REACHABLE = 'A service that this call needs is not reachable.';

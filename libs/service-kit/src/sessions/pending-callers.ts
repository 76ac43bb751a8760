import { unavailable } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { CallOptions } from '../rpc/call.ts';
import { watchCall } from '../rpc/call.ts';

const PENDING_MAX = 10_000;

export type PendingCallers<T> = {
  wait: (options: WaitOptions) => Promise<T>;
  resolveAll: (next: () => T) => void;
  rejectAll: (error: unknown) => void;
};

export type WaitOptions = Pick<CallOptions, 'signal'> & {
  /** Time in milliseconds after which the wait fails with UNAVAILABLE. */
  waitMaxMs: number;
  /**
   * Time in milliseconds after which the wait fails with DEADLINE_EXCEEDED, unless `waitMaxMs` is
   * shorter.
   */
  timeoutMs?: number;
};

type PendingCaller<T> = {
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
  stopWatching: () => void;
};

/**
 * Creates a set of callers that wait for a value. `cause` returns the cause of their UNAVAILABLE
 * errors, each of which is also passed to `onUnreachable`.
 */
export const createPendingCallers = <T>(
  cause: () => unknown,
  onUnreachable: ((error: ServiceError) => void) | undefined,
): PendingCallers<T> => {
  const toUnreachable = (): ServiceError => {
    const error = unavailable(NOT_REACHABLE, cause());
    onUnreachable?.(error);
    return error;
  };
  const pending = new Set<PendingCaller<T>>();
  const settleAll = (settle: (caller: PendingCaller<T>) => void): void => {
    for (const caller of pending) {
      pending.delete(caller);
      caller.stopWatching();
      settle(caller);
    }
  };
  return {
    wait: ({ waitMaxMs, timeoutMs = Infinity, ...options }) =>
      new Promise((resolve, reject) => {
        if (pending.size >= PENDING_MAX) throw toUnreachable();
        const limit = { ...options, timeoutMs: Math.min(timeoutMs, waitMaxMs) };
        const stopWatching = watchCall(limit, (reason) => {
          pending.delete(caller);
          const isUnreachable = reason.reason === 'DEADLINE_EXCEEDED' && waitMaxMs < timeoutMs;
          reject(isUnreachable ? toUnreachable() : reason);
        });
        const caller: PendingCaller<T> = { resolve, reject, stopWatching };
        pending.add(caller);
      }),
    resolveAll: (next) => settleAll(({ resolve }) => resolve(next())),
    rejectAll: (error) => settleAll(({ reject }) => reject(error)),
  };
};

const NOT_REACHABLE = 'A service that this call needs is not reachable.';

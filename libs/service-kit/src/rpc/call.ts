import { cancelled, deadlineExceeded } from '@witan/contracts';

export type CallOptions = {
  /** Workspace of the call; required if the call accesses stored data. */
  workspaceId?: string;
  requestId?: string;
  signal?: AbortSignal;
  timeoutMs: number;
};

export type StreamOptions = Omit<CallOptions, 'timeoutMs'> & { timeoutMs?: number };

export type Call = {
  caller: string;
  workspaceId: string;
  requestId: string;
  /** Aborts when the caller disconnects or the deadline passes. The reason is a ServiceError. */
  signal: AbortSignal;
  /**
   * Aborts when the server stops. A long-lived stream must then accept no new requests, finish its
   * work and end.
   */
  stopping: AbortSignal;
};

/** Longest delay that a Node timer accepts, in milliseconds. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

export type OpenedCall = { call: Call; abort: (reason: unknown) => void; close: () => void };

/**
 * Opens a call whose signal combines the deadline and the caller's signal. `close` frees the timer
 * and the listener.
 */
export const openCall = (
  identity: Omit<Call, 'signal' | 'stopping'>,
  stopping: AbortSignal,
  options: { signal?: AbortSignal | undefined; timeoutMs?: number | undefined },
): OpenedCall => {
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(reason);
  const onOuterAbort = (): void => abort(cancelled());
  if (options.signal?.aborted) onOuterAbort();
  else options.signal?.addEventListener('abort', onOuterAbort, { once: true });
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => abort(deadlineExceeded()), Math.min(options.timeoutMs, TIMER_MAX_MS));
  timer?.unref();
  const close = (): void => {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onOuterAbort);
  };
  return { call: { ...identity, signal: controller.signal, stopping }, abort, close };
};

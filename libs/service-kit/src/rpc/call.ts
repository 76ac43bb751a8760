import { cancelled, deadlineExceeded } from '@witan/contracts';

/** What a caller says about one call. */
export type CallOptions = {
  /** Tenant in whose name the call is made; stores refuse to work without it. */
  workspaceId?: string;
  /** Follows one client request through every service's logs. */
  requestId?: string;
  /** Aborting it cancels the call on both sides. */
  signal?: AbortSignal;
  /** Every call ends: milliseconds until it fails with DEADLINE_EXCEEDED. */
  timeoutMs: number;
};

/** A long-lived stream has no deadline; its writes have. */
export type StreamOptions = Omit<CallOptions, 'timeoutMs'> & { timeoutMs?: number };

/** What a handler knows about the call that it answers. */
export type Call = {
  /** Name of the calling service, verified. */
  caller: string;
  /** Empty when the caller named none. */
  workspaceId: string;
  requestId: string;
  /** Aborts when the caller goes away or the deadline passes. Its reason is a ServiceError. */
  signal: AbortSignal;
  /** Aborts when the server winds up: a long-lived stream takes nothing new, finishes and ends. */
  stopping: AbortSignal;
};

/** Longest delay that a Node timer can hold, in milliseconds. */
export const TIMER_MAX_MS = 2 ** 31 - 1;

export type OpenedCall = { call: Call; abort: (reason: unknown) => void; close: () => void };

/** Starts a call's clock and joins its reasons to stop into one signal. `close` frees both. */
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

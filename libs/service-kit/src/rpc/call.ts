import { cancelled, deadlineExceeded } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';

export type CallOptions = {
  /** Workspace of the call; required if the call accesses data of a workspace. */
  workspaceId?: string;
  requestId?: string;
  /** Who the call is made for within the workspace; recorded, never checked. */
  actorId?: string | undefined;
  signal?: AbortSignal;
  timeoutMs: number;
};

export type StreamOptions = Omit<CallOptions, 'timeoutMs'> & { timeoutMs?: number };

export type Call = {
  caller: string;
  workspaceId: string;
  requestId: string;
  /** Empty or absent if the caller named no actor. */
  actorId?: string | undefined;
  /** Aborts when the caller cancels or disconnects, or when the deadline passes. */
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
 * Opens a call whose signal aborts at the deadline, with the caller's signal, or through `abort`.
 * `close` frees the timer and the listener.
 */
export const openCall = (
  identity: Omit<Call, 'signal' | 'stopping'>,
  stopping: AbortSignal,
  limits: CallLimits,
): OpenedCall => {
  const controller = new AbortController();
  const abort = (reason: unknown): void => controller.abort(reason);
  const close = watchCall(limits, abort);
  return { call: { ...identity, signal: controller.signal, stopping }, abort, close };
};

type CallLimits = { signal?: AbortSignal | undefined; timeoutMs?: number | undefined };

/**
 * Calls `onStop` at most once: with DEADLINE_EXCEEDED after `timeoutMs`, or with CANCELLED when
 * `signal` aborts. Ignores a signal that is already aborted. Returns a function that stops
 * watching. The timer does not keep the process alive.
 */
export const watchCall = (
  { signal, timeoutMs }: CallLimits,
  onStop: (reason: ServiceError) => void,
): (() => void) => {
  const onAbort = (): void => stop(cancelled());
  const stopWatching = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  const stop = (reason: ServiceError): void => {
    stopWatching();
    onStop(reason);
  };
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => stop(deadlineExceeded()), Math.min(timeoutMs, TIMER_MAX_MS)).unref();
  signal?.addEventListener('abort', onAbort, { once: true });
  return stopWatching;
};

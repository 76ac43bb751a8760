import { cancelled, deadlineExceeded } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { TIMER_MAX_MS } from '../rpc/call.ts';
import type { CallOptions } from '../rpc/call.ts';

/**
 * Calls `onStop` once, with DEADLINE_EXCEEDED after `timeoutMs` or with CANCELLED when `signal`
 * aborts. Returns a function that stops watching.
 */
export const watchCall = (
  { signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  onStop: (reason: ServiceError) => void,
): (() => void) => {
  const timer = setTimeout(() => stop(deadlineExceeded()), Math.min(timeoutMs, TIMER_MAX_MS));
  const onAbort = (): void => stop(cancelled());
  const stopWatching = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  const stop = (reason: ServiceError): void => {
    stopWatching();
    onStop(reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return stopWatching;
};

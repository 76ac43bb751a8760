import { cancelled, deadlineExceeded } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { TIMER_MAX_MS } from '../call.ts';
import type { CallOptions } from '../call.ts';

/**
 * Watches a call from its caller's side: `onStop` runs once, with DEADLINE_EXCEEDED or CANCELLED,
 * unless the answered function is called before.
 */
export const startClock = (
  { signal, timeoutMs }: Pick<CallOptions, 'signal' | 'timeoutMs'>,
  onStop: (reason: ServiceError) => void,
): (() => void) => {
  const timer = setTimeout(() => stop(deadlineExceeded()), Math.min(timeoutMs, TIMER_MAX_MS));
  const onAbort = (): void => stop(cancelled());
  const forget = (): void => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  };
  const stop = (reason: ServiceError): void => {
    forget();
    onStop(reason);
  };
  signal?.addEventListener('abort', onAbort, { once: true });
  return forget;
};

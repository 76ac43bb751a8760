import { ServiceError } from '@witan/contracts';

export type CallClock = { signal: AbortSignal; close: () => void };

/**
 * Starts a signal that aborts with the client's signal or after `totalMs`; the reason is a
 * ServiceError.
 */
export const startCallClock = (client: AbortSignal, totalMs: number): CallClock => {
  const controller = new AbortController();
  const onClientGone = (): void => controller.abort(client.reason);
  if (client.aborted) onClientGone();
  else client.addEventListener('abort', onClientGone, { once: true });
  const timer = setTimeout(() => controller.abort(timedOut()), totalMs);
  return {
    signal: controller.signal,
    close: () => {
      clearTimeout(timer);
      client.removeEventListener('abort', onClientGone);
    },
  };
};

const timedOut = (): ServiceError =>
  new ServiceError('PROVIDER_TIMEOUT', 'The model provider did not finish in time.');

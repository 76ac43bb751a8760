import { ServiceError } from '@witan/contracts';

export type CallClock = { signal: AbortSignal; close: () => void };

/** Combines the client's signal and the total timeout; the abort reason is a ServiceError. */
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

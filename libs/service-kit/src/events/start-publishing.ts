import type { Host } from '../boot/service.ts';
import { openBroker } from './broker.ts';
import type { Relay, RelayOptions } from './relay.ts';

type Publishing = {
  natsUrl: string | undefined;
  source: string;
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
};

/**
 * Opens a broker connection and publishes the service's outbox over it. Must be stopped before the
 * database is closed.
 */
export const startPublishing = async (
  { natsUrl, source, startRelay }: Publishing,
  { log, registry }: Pick<Host, 'log' | 'registry'>,
): Promise<Relay> => {
  const broker = await openBroker({ url: natsUrl, name: source, log });
  const relay = startRelay({ broker, source, log, registry });
  return {
    stop: async () => {
      await relay.stop();
      await broker[Symbol.asyncDispose]();
    },
  };
};

import type { Host } from '../boot/service.ts';
import { openBroker } from './broker.ts';
import type { Relay, RelayOptions } from './relay.ts';

type Publishing = {
  /** Undefined: there is no broker, and events stay in the outbox. */
  natsUrl: string | undefined;
  /** The service's name: `ce-source`. */
  source: string;
  /** Starts the relay of the database that has the outbox. */
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
};

/**
 * Publishes a service's outbox over its own broker connection; stop it before the database is
 * closed.
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

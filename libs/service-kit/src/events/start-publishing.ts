import type { Host } from '../boot/service.ts';
import { openBroker } from './broker.ts';
import type { Relay, RelayOptions } from './relay.ts';

type Publishing = {
  /** Of the broker; undefined: there is none, and facts wait in the outbox. */
  natsUrl: string | undefined;
  /** The service's name: `ce-source`. */
  source: string;
  /** Over the database that the outbox is in. */
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
};

/** Publishes what stores tell, over a broker of its own; to be stopped before they are closed. */
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

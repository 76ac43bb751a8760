import { openBroker } from '@witan/service-kit';
import type { Host, Relay, RelayOptions } from '@witan/service-kit';

type PublishingDeps = {
  /** Of the broker; undefined: there is none, and facts wait in the outbox. */
  natsUrl: string | undefined;
  /** Over the database that the outbox is in. */
  startRelay: (parts: Omit<RelayOptions, 'database'>) => Relay;
};

/** Publishes what the stores tell; to be stopped before they are closed. */
export const startPublishing = async (
  { natsUrl, startRelay }: PublishingDeps,
  { log, metrics }: Pick<Host, 'log' | 'metrics'>,
): Promise<Relay> => {
  const broker = await openBroker({ url: natsUrl, name: 'simulation', log });
  const relay = startRelay({ broker, source: 'simulation', log, metrics });
  return {
    stop: async () => {
      await relay.stop();
      await broker[Symbol.asyncDispose]();
    },
  };
};

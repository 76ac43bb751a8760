import type { Broker } from '@witan/service-kit';

/** A broker to which `connect` and `disconnect` switch the relay's connection. */
export type SwitchableBroker = { broker: Broker; connect: () => void; disconnect: () => void };

/**
 * Creates a broker that the relay sees as disconnected until `connect`, so that events can be
 * written before the measurement and published during it.
 */
export const createSwitchableBroker = (broker: Broker): SwitchableBroker => {
  const listeners = new Set<() => void>();
  let isEnabled = false;
  return {
    broker: {
      ...broker,
      isConnected: () => isEnabled && broker.isConnected(),
      onConnect: (listener) => {
        listeners.add(listener);
        const removeListener = broker.onConnect(() => {
          if (isEnabled) listener();
        });
        return () => {
          listeners.delete(listener);
          removeListener();
        };
      },
    },
    connect: () => {
      isEnabled = true;
      for (const listener of listeners) listener();
    },
    disconnect: () => {
      isEnabled = false;
    },
  };
};

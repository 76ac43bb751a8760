import type { Broker } from '@witan/service-kit';

/** A broker that the relay sees as disconnected while the valve is closed. */
export type Valve = { broker: Broker; open: () => void; close: () => void };

/**
 * Creates a closed valve, so that events can be written before the measurement and published during
 * it.
 */
export const createValve = (broker: Broker): Valve => {
  const listeners = new Set<() => void>();
  let isOpen = false;
  return {
    broker: {
      ...broker,
      isConnected: () => isOpen && broker.isConnected(),
      onConnect: (listener) => {
        listeners.add(listener);
        const forget = broker.onConnect(() => {
          if (isOpen) listener();
        });
        return () => {
          listeners.delete(listener);
          forget();
        };
      },
    },
    open: () => {
      isOpen = true;
      for (const listener of listeners) listener();
    },
    close: () => {
      isOpen = false;
    },
  };
};

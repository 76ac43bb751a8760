import type { Arrival } from './event.ts';
import type { Delivery, Source } from './event-transport.ts';

export type LocalMessage = {
  id: string;
  arrival: Arrival;
  /** Aborted when the message is no longer to be delivered. */
  withdrawn: AbortSignal;
  /** Called once the consumer has handled the message or stored it as dead. */
  onDone: () => void;
};

/** The messages that wait for one consumer of this process, whose workers share them. */
export type LocalQueue = {
  put: (message: LocalMessage) => void;
  removeWithdrawn: () => void;
  openSource: () => Source;
};

type Waiting = Delivery & { withdrawn: AbortSignal };

export const createLocalQueue = (): LocalQueue => {
  let retried: Waiting[] = [];
  let fresh: Waiting[] = [];
  const takers = new Set<(delivery: Delivery | undefined) => void>();
  const deliver = (message: LocalMessage, count: number): void => {
    const { id: messageId, arrival, withdrawn, onDone } = message;
    if (withdrawn.aborted) return;
    const delivery: Waiting = {
      messageId,
      arrival,
      withdrawn,
      count,
      working: () => {},
      ack: async () => onDone(),
      drop: onDone,
      retry: (delayMs) => void setTimeout(() => deliver(message, count + 1), delayMs).unref(),
    };
    const [taker] = takers;
    if (!taker) return void (count > 1 ? retried : fresh).push(delivery);
    takers.delete(taker);
    taker(delivery);
  };
  const isWanted = ({ withdrawn }: Waiting): boolean => !withdrawn.aborted;
  return {
    put: (message) => deliver(message, 1),
    removeWithdrawn: () => {
      retried = retried.filter(isWanted);
      fresh = fresh.filter(isWanted);
    },
    openSource: () => {
      let isStopped = false;
      let endNext: ((delivery: Delivery | undefined) => void) | undefined;
      return {
        next: async () => {
          if (isStopped) return undefined;
          const waiting = retried.shift() ?? fresh.shift();
          if (waiting) return waiting;
          const { promise, resolve } = Promise.withResolvers<Delivery | undefined>();
          takers.add(resolve);
          endNext = resolve;
          return promise;
        },
        stop: () => {
          isStopped = true;
          if (endNext && takers.delete(endNext)) endNext(undefined);
        },
      };
    },
  };
};

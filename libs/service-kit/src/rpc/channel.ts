/** A bounded queue between one producer and one consumer. */
export type Channel<T> = AsyncIterable<T> & {
  /** Adds a value. Returns a promise to await before adding more when the queue is full. */
  push: (value: T) => Promise<void> | undefined;
  end: () => void;
  fail: (error: unknown) => void;
  close: () => void;
};

/**
 * Creates a queue for `capacity` values. `onStop` is called when the consumer stops before the end.
 */
export const createChannel = <T>(capacity: number, onStop?: () => void): Channel<T> => {
  let queue: T[] = [];
  let outcome: { error?: unknown } | undefined;
  let wakeConsumer: (() => void) | undefined;
  let producers: (() => void)[] = [];

  const wake = (): void => {
    wakeConsumer?.();
    wakeConsumer = undefined;
  };
  const releaseProducers = (): void => {
    const waitingProducers = producers;
    producers = [];
    for (const resolve of waitingProducers) resolve();
  };
  const finish = (result: { error?: unknown }): void => {
    outcome ??= result;
    releaseProducers();
    wake();
  };

  async function* read(): AsyncGenerator<T> {
    try {
      for (;;) {
        while (queue.length > 0) {
          const value = queue.shift() as T;
          if (queue.length < capacity) releaseProducers();
          yield value;
        }
        if (outcome) {
          if ('error' in outcome) throw outcome.error;
          return;
        }
        await new Promise<void>((resolve) => {
          wakeConsumer = resolve;
        });
      }
    } finally {
      const stoppedEarly = outcome === undefined;
      close();
      if (stoppedEarly) onStop?.();
    }
  }
  const close = (): void => {
    queue = [];
    finish({});
  };

  return {
    push: (value) => {
      if (outcome) return undefined;
      queue.push(value);
      wake();
      if (queue.length < capacity) return undefined;
      return new Promise((resolve) => producers.push(resolve));
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    close,
    [Symbol.asyncIterator]: read,
  };
};

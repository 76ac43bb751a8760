/** A bounded queue between one producer and one consumer. */
export type Channel<T> = AsyncIterable<T> & {
  /** Takes the value; answers a promise to wait for when the queue is full. */
  push: (value: T) => Promise<void> | undefined;
  /** No more values; the consumer finishes what is queued. */
  end: () => void;
  /** The consumer fails once what is queued is read. */
  fail: (error: unknown) => void;
  /** Drops what is queued and ends; called when the consumer stops reading. */
  close: () => void;
};

/**
 * Creates a channel that holds up to `capacity` values before `push` asks to wait. `onStop` runs
 * when the consumer leaves before the end.
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
    const waiting = producers;
    producers = [];
    for (const resolve of waiting) resolve();
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
      const left = outcome === undefined;
      close();
      if (left) onStop?.();
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

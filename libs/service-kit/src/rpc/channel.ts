/** A queue between producers and one consumer, which may have several reads pending. */
export type Channel<T> = AsyncIterable<T> & {
  /**
   * Adds a value, or drops it if the channel has ended. Returns a promise to await before adding
   * more when the queue is full.
   */
  push: (value: T) => Promise<void> | undefined;
  end: () => void;
  fail: (error: unknown) => void;
  /** Ends the channel and drops all values that are not read yet, and an unread failure. */
  close: () => void;
  isEmpty: () => boolean;
  next: () => Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator]: () => AsyncIterator<T, undefined>;
};

type Outcome = { error?: unknown };
type Reader<T> = {
  resolve: (result: IteratorResult<T, undefined>) => void;
  reject: (error: unknown) => void;
};

const DONE = { done: true, value: undefined } as const;

/**
 * Creates a queue that counts as full from `capacity` values on. `onStop` is called when the
 * consumer leaves the iteration before the channel has ended. The iterator is not a generator,
 * because a plain one is faster per value.
 */
export const createChannel = <T>(capacity: number, onStop?: () => void): Channel<T> => {
  let queue: T[] = [];
  let outcome: Outcome | undefined;
  let readers: Reader<T>[] = [];
  let producers: (() => void)[] = [];

  const releaseProducers = (): void => {
    const waitingProducers = producers;
    producers = [];
    for (const resolve of waitingProducers) resolve();
  };
  /** Rejects with a failure once; later reads return `DONE`. */
  const takeOutcome = (): Promise<IteratorResult<T, undefined>> => {
    const { error } = outcome!;
    const hasFailed = 'error' in outcome!;
    outcome = {};
    return hasFailed ? Promise.reject(error) : Promise.resolve(DONE);
  };
  const finish = (result: Outcome): void => {
    outcome ??= result;
    releaseProducers();
    const waitingReaders = readers;
    readers = [];
    for (const { resolve, reject } of waitingReaders) takeOutcome().then(resolve, reject);
  };
  const close = (): void => {
    queue = [];
    finish({});
    outcome = {};
  };
  const next = (): Promise<IteratorResult<T, undefined>> => {
    if (queue.length > 0) {
      const value = queue.shift() as T;
      if (queue.length < capacity) releaseProducers();
      return Promise.resolve({ done: false, value });
    }
    if (outcome) return takeOutcome();
    return new Promise((resolve, reject) => readers.push({ resolve, reject }));
  };
  const stop = (): void => {
    const stoppedEarly = outcome === undefined;
    close();
    if (stoppedEarly) onStop?.();
  };
  return {
    push: (value) => {
      if (outcome) return undefined;
      const reader = readers.shift();
      if (reader) reader.resolve({ done: false, value });
      else queue.push(value);
      if (queue.length < capacity) return undefined;
      return new Promise((resolve) => producers.push(resolve));
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    close,
    isEmpty: () => queue.length === 0,
    next,
    [Symbol.asyncIterator]: () => ({
      next,
      return: async () => {
        stop();
        return DONE;
      },
    }),
  };
};

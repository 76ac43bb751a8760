import type { Dispatcher } from 'undici';

type Connection = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

export type AnswerBody = AsyncIterableIterator<Uint8Array> & {
  push: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
};

const WAITING_BYTES_MAX = 64 * 1024;
/** Maximum time for a provider to end its response after the last frame, in milliseconds. */
const DRAIN_MAX_MS = 1_000;

/**
 * Delivers each chunk in the tick in which it arrives: a Node stream in between would cost more
 * than all other work on a token stream. When a reader stops early (at the last frame, not the last
 * byte), the rest is drained so that the connection can be reused.
 */
export const createAnswerBody = (connection: Connection): AnswerBody => {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let outcome: { error?: Error } | undefined;
  let reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  let hasLeft = false;
  let restTimer: NodeJS.Timeout | undefined;

  const finish = (result: { error?: Error }): void => {
    outcome ??= result;
    clearTimeout(restTimer);
    if (!reader) return;
    if (result.error) reader.reject(result.error);
    else reader.resolve(OVER);
    reader = undefined;
  };
  const take = (): IteratorResult<Uint8Array> => {
    const value = queue.shift()!;
    queuedBytes -= value.length;
    if (queue.length === 0 && !outcome) connection.resume();
    return { value, done: false };
  };
  return {
    push: (chunk) => {
      if (hasLeft) return;
      if (reader) {
        reader.resolve({ value: chunk, done: false });
        reader = undefined;
        return;
      }
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (queuedBytes > WAITING_BYTES_MAX) connection.pause();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    next: () => {
      if (hasLeft) return Promise.resolve(OVER);
      if (queue.length > 0) return Promise.resolve(take());
      if (outcome?.error) return Promise.reject(outcome.error);
      if (outcome) return Promise.resolve(OVER);
      reader = Promise.withResolvers();
      return reader.promise;
    },
    return: () => {
      if (!hasLeft && !outcome) {
        const giveUp = (): void =>
          connection.abort(new Error('The rest of the response did not end in time.'));
        restTimer = setTimeout(giveUp, DRAIN_MAX_MS);
        connection.resume();
      }
      hasLeft = true;
      queue = [];
      return Promise.resolve(OVER);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

const OVER: IteratorReturnResult<undefined> = { value: undefined, done: true };

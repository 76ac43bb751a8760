import type { Dispatcher } from 'undici';

type Connection = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

export type AnswerBody = AsyncIterableIterator<Uint8Array> & {
  push: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
};

const BUFFERED_BYTES_MAX = 64 * 1024;
/** Maximum time for a provider to end its response after the last frame. */
const DRAIN_MAX_MS = 1_000;

/**
 * Creates a body that hands a chunk to a waiting reader in the tick in which it arrives. It is no
 * Node stream, because that would dominate the cost of a token stream. When a reader stops early
 * (at the last frame, not the last byte), the rest is drained for up to a second so that the
 * connection can be reused.
 */
export const createAnswerBody = (connection: Connection): AnswerBody => {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let outcome: { error?: Error } | undefined;
  let reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  let isDiscarded = false;
  let drainTimer: NodeJS.Timeout | undefined;

  const finish = (result: { error?: Error }): void => {
    outcome ??= result;
    clearTimeout(drainTimer);
    if (!reader) return;
    if (result.error) reader.reject(result.error);
    else reader.resolve(DONE_RESULT);
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
      if (isDiscarded) return;
      if (reader) {
        reader.resolve({ value: chunk, done: false });
        reader = undefined;
        return;
      }
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (queuedBytes > BUFFERED_BYTES_MAX) connection.pause();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    next: () => {
      if (isDiscarded) return Promise.resolve(DONE_RESULT);
      if (queue.length > 0) return Promise.resolve(take());
      if (outcome?.error) return Promise.reject(outcome.error);
      if (outcome) return Promise.resolve(DONE_RESULT);
      reader = Promise.withResolvers();
      return reader.promise;
    },
    return: () => {
      if (!isDiscarded && !outcome) {
        const abortConnection = (): void =>
          connection.abort(new Error('The rest of the response did not end in time.'));
        drainTimer = setTimeout(abortConnection, DRAIN_MAX_MS);
        connection.resume();
      }
      isDiscarded = true;
      queue = [];
      return Promise.resolve(DONE_RESULT);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

const DONE_RESULT: IteratorReturnResult<undefined> = { value: undefined, done: true };

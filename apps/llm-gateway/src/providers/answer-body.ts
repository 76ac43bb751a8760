import type { Dispatcher } from 'undici';

/** The connection that an answer comes by. */
type Connection = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/** The bytes of one answer, from the callbacks of a connection to one reader. */
export type AnswerBody = AsyncIterableIterator<Uint8Array> & {
  push: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
};

/** Bytes that wait for a reader before the connection pauses. */
const WAITING_BYTES_MAX = 64 * 1024;
/** How long a provider may take to close its answer behind the last frame, in milliseconds. */
const DRAIN_MAX_MS = 1_000;

/**
 * Hands each chunk on in the turn in which it comes: a Node stream between would cost a stream of
 * tokens more than all that we do with them. A reader that leaves early (a stream is over at its
 * last frame, not at its last byte) must not cost the connection: what little is left is read away,
 * so that the next call can use it.
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
        const giveUp = (): void => connection.abort(new Error('The rest of an answer was late.'));
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

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
 * Creates a body whose chunks that arrive in the same tick are read as one, so that frames that
 * arrive together reach the client in one socket write. It is no Node stream, because that would
 * dominate the cost of a token stream. When a reader stops early (at the last frame, not the last
 * byte), the rest is drained for up to a second so that the connection can be reused.
 */
export const createAnswerBody = (connection: Connection): AnswerBody => {
  let queue: Uint8Array[] = [];
  let queuedBytes = 0;
  let isPaused = false;
  let outcome: { error?: Error } | undefined;
  let reader: PromiseWithResolvers<IteratorResult<Uint8Array>> | undefined;
  let isDiscarded = false;
  let drainTimer: NodeJS.Timeout | undefined;

  const takeAll = (): IteratorResult<Uint8Array> => {
    const value = queue.length === 1 ? queue[0]! : Buffer.concat(queue, queuedBytes);
    queue = [];
    queuedBytes = 0;
    return { value, done: false };
  };
  const settleReader = (): void => {
    if (!reader || (queue.length === 0 && !outcome)) return;
    const { resolve, reject } = reader;
    reader = undefined;
    if (queue.length > 0) resolve(takeAll());
    else if (outcome?.error) reject(outcome.error);
    else resolve(DONE_RESULT);
    resume();
  };
  /** Called last, because undici may push chunks and the end before it returns. */
  const resume = (): void => {
    if (!isPaused || queue.length > 0) return;
    isPaused = false;
    if (!outcome) connection.resume();
  };
  const finish = (result: { error?: Error }): void => {
    outcome ??= result;
    clearTimeout(drainTimer);
    settleReader();
  };
  return {
    push: (chunk) => {
      if (isDiscarded) return;
      if (reader && queue.length === 0) queueMicrotask(settleReader);
      queue.push(chunk);
      queuedBytes += chunk.length;
      if (queuedBytes <= BUFFERED_BYTES_MAX || isPaused) return;
      isPaused = true;
      connection.pause();
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    next: () => {
      if (isDiscarded) return Promise.resolve(DONE_RESULT);
      reader = Promise.withResolvers();
      const { promise } = reader;
      settleReader();
      return promise;
    },
    return: () => {
      const mustDrain = !isDiscarded && !outcome;
      isDiscarded = true;
      queue = [];
      if (mustDrain) {
        drainTimer = setTimeout(() => connection.abort(drainTimedOut()), DRAIN_MAX_MS);
        connection.resume();
      }
      return Promise.resolve(DONE_RESULT);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
};

const DONE_RESULT: IteratorReturnResult<undefined> = { value: undefined, done: true };

const drainTimedOut = (): Error => new Error('The rest of the response did not end in time.');

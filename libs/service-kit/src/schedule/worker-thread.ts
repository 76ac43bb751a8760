import type { Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';

/**
 * A worker thread that runs one task at a time, round robin among keys, such as workspaces. A
 * thread that ends or exceeds the time limit is replaced; only its current task fails.
 */
export type WorkerThread<Task, Reply> = {
  /**
   * Resolves with the thread's reply. Rejects with an error of `assertFits` or `toError`, or with
   * the signal's reason if it aborts first; a task that already runs then continues, and its reply
   * is dropped.
   */
  run: (task: Task, options: { key: string; signal?: AbortSignal | undefined }) => Promise<Reply>;
  close: () => Promise<void>;
};

type WorkerThreadOptions<Task> = {
  /** Creates the thread. It must post exactly one reply to each task. */
  createWorker: () => Worker;
  /** Time limit of a task in milliseconds, after which the thread is terminated. */
  timeoutMs: number;
  /** Starts the thread at once instead of with the first task. */
  isWarm?: boolean;
  /**
   * Throws if `task` must not be queued; called with the queued tasks of the same key and of all
   * keys.
   */
  assertFits?: (task: Task, waiting: { own: readonly Task[]; all: readonly Task[] }) => void;
  /**
   * Returns the error of a task that the thread did not finish, with the cause, or of a task that
   * is not started because the thread is closed.
   */
  toError: (cause?: unknown) => Error;
};

export const openWorkerThread = <Task, Reply>(
  options: WorkerThreadOptions<Task>,
): WorkerThread<Task, Reply> => {
  type Pending = PromiseWithResolvers<Reply> & { task: Task };
  const { createWorker, timeoutMs, isWarm = false, assertFits, toError } = options;
  const queue = createFairQueue<Pending>();
  let worker: Worker | undefined;
  let running: { pending: Pending; timer: NodeJS.Timeout } | undefined;
  let isClosed = false;

  const finish = (settle: (pending: Pending) => void): void => {
    if (running) {
      clearTimeout(running.timer);
      settle(running.pending);
    }
    running = undefined;
    runNext();
  };
  const start = (): Worker => {
    const started = createWorker();
    // The thread must not prevent the process from exiting.
    started.unref();
    // A thread that was replaced may still reply, and emits `exit` after `error`.
    const isCurrent = (): boolean => worker === started;
    started.on('message', (reply: Reply) => {
      if (isCurrent()) finish(({ resolve }) => resolve(reply));
    });
    const onFailure = (cause: unknown): void => {
      if (!isCurrent()) return;
      worker = undefined;
      // A thread whose reply could not be deserialized is still running and must be stopped.
      void started.terminate();
      finish(({ reject }) => reject(toError(cause)));
    };
    for (const event of ['error', 'messageerror', 'exit']) started.on(event, onFailure);
    return started;
  };
  const runNext = (): void => {
    const pending = running || isClosed ? undefined : queue.take();
    if (!pending) return;
    const thread = (worker ??= start());
    running = { pending, timer: setTimeout(() => void thread.terminate(), timeoutMs).unref() };
    thread.postMessage(pending.task);
  };
  if (isWarm) worker = start();
  return {
    run: async (task, { key, signal }) => {
      signal?.throwIfAborted();
      if (isClosed) throw toError();
      assertFits?.(task, { own: tasksOf(queue.items(key)), all: tasksOf(queue.items()) });
      const pending: Pending = { task, ...Promise.withResolvers<Reply>() };
      const onAbort = (): void => {
        queue.remove(key, pending);
        pending.reject(signal!.reason);
      };
      queue.add(key, pending);
      signal?.addEventListener('abort', onAbort, { once: true });
      runNext();
      return await pending.promise.finally(() => signal?.removeEventListener('abort', onAbort));
    },
    close: async () => {
      isClosed = true;
      for (const { reject } of queue.items()) reject(toError());
      await worker?.terminate();
    },
  };
};

const tasksOf = <Task>(pending: readonly { task: Task }[]): Task[] =>
  pending.map(({ task }) => task);

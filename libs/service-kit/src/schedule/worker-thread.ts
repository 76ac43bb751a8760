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
  /** Time limit of a task in milliseconds, after which it fails and the thread is terminated. */
  timeoutMs: number;
  /** Starts the thread at once instead of with the first task. */
  isWarm?: boolean;
  /**
   * Throws if `task` must not be queued; called with the queued tasks of the same key and of all
   * keys.
   */
  assertFits?: (task: Task, waiting: { own: readonly Task[]; all: readonly Task[] }) => void;
  /**
   * Returns the error of a task. `cause` is undefined if the task was not started because the
   * thread is closed; otherwise it says why the thread did not receive or finish the task.
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
  // A thread that was replaced may still reply, and emits `exit`; both are ignored.
  const onReply = (sender: Worker, reply: Reply): void => {
    if (worker === sender) finish(({ resolve }) => resolve(reply));
  };
  const onFailure = (failed: Worker, cause: unknown): void => {
    if (worker !== failed) return;
    worker = undefined;
    finish(({ reject }) => reject(toError(cause)));
    // A thread that timed out, or whose reply could not be deserialized, is still running.
    void failed.terminate();
  };
  const start = (): Worker => startThread(createWorker, { onReply, onFailure });
  const runNext = (): void => {
    const pending = running || isClosed ? undefined : queue.take();
    if (!pending) return;
    try {
      const thread = (worker ??= start());
      thread.postMessage(pending.task);
      const onTimeout = (): void => onFailure(thread, new Error(`no reply within ${timeoutMs} ms`));
      running = { pending, timer: setTimeout(onTimeout, timeoutMs).unref() };
    } catch (cause) {
      pending.reject(toError(cause));
      // Not called directly, because all queued tasks may fail like this one.
      setImmediate(runNext);
    }
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

type ThreadEvents<Reply> = {
  onReply: (sender: Worker, reply: Reply) => void;
  onFailure: (failed: Worker, cause: unknown) => void;
};

/** Starts a thread that does not prevent the process from exiting. */
const startThread = <Reply>(
  createWorker: () => Worker,
  { onReply, onFailure }: ThreadEvents<Reply>,
): Worker => {
  const started = createWorker();
  started.unref();
  started.on('message', (reply: Reply) => onReply(started, reply));
  for (const event of ['error', 'messageerror', 'exit']) {
    started.on(event, (cause: unknown) => onFailure(started, cause));
  }
  return started;
};

const tasksOf = <Task>(pending: readonly { task: Task }[]): Task[] =>
  pending.map(({ task }) => task);

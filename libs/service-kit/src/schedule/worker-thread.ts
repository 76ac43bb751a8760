import type { Worker } from 'node:worker_threads';
import { createFairQueue } from './fair-queue.ts';
import type { TaskMessage, TaskReply } from './serve-tasks.ts';

/**
 * A worker thread that runs one task at a time, round robin among keys, such as workspaces. Its
 * tasks are served by `serveTasks` or `serveTasksInSteps`; with the latter a long task is paused
 * while tasks of other keys wait. A thread that ends or exceeds the time limit is replaced: its
 * current task fails, and paused ones begin again.
 */
export type WorkerThread<Task, Reply> = {
  /**
   * Resolves with the thread's reply. Rejects with an error of `assertFits` or `toError`, or with
   * the signal's reason if it aborts first; a task that runs then ends at its next pause.
   */
  run: (task: Task, options: { key: string; signal?: AbortSignal | undefined }) => Promise<Reply>;
  close: () => Promise<void>;
};

type WorkerThreadOptions<Task> = {
  createWorker: () => Worker;
  /**
   * Time limit in milliseconds for a task between two pauses, after which it fails and the thread
   * is terminated.
   */
  timeoutMs: number;
  /** Starts the thread at once instead of with the first task. */
  isWarm?: boolean;
  /**
   * Throws if `task` must not be queued; called with the unfinished tasks of the same key and of
   * all keys.
   */
  assertFits?: (task: Task, unfinished: { own: readonly Task[]; all: readonly Task[] }) => void;
  /**
   * Returns whether a task may begin while others are paused, whose memory is in use. By default
   * all may.
   */
  mayBegin?: (task: Task, paused: readonly Task[]) => boolean;
  /**
   * Returns the error of a task. `cause` is undefined if the task was not finished because the
   * thread is closed; otherwise it says why the thread did not receive or finish the task.
   */
  toError: (cause?: unknown) => Error;
};

type Unfinished<Task, Reply> = PromiseWithResolvers<Reply> & {
  id: number;
  key: string;
  task: Task;
  /** `left`: its caller has gone, and it ends at its next pause. */
  state: 'queued' | 'running' | 'paused' | 'left';
};

export const openWorkerThread = <Task, Reply>(
  options: WorkerThreadOptions<Task>,
): WorkerThread<Task, Reply> => new TaskThread(options);

class TaskThread<Task, Reply> implements WorkerThread<Task, Reply> {
  readonly #options: WorkerThreadOptions<Task>;
  readonly #queue = createFairQueue<Unfinished<Task, Reply>>();
  #worker: Worker | undefined;
  #running: { entry: Unfinished<Task, Reply>; timer: NodeJS.Timeout } | undefined;
  #lastId = 0;
  #isClosed = false;

  constructor(options: WorkerThreadOptions<Task>) {
    this.#options = options;
    if (options.isWarm) this.#worker = this.#start();
  }

  run = async (
    task: Task,
    { key, signal }: { key: string; signal?: AbortSignal | undefined },
  ): Promise<Reply> => {
    const { assertFits, toError } = this.#options;
    signal?.throwIfAborted();
    if (this.#isClosed) throw toError();
    assertFits?.(task, { own: this.#unfinished(key), all: this.#unfinished() });
    const id = (this.#lastId += 1);
    const entry: Unfinished<Task, Reply> = {
      ...Promise.withResolvers<Reply>(),
      id,
      key,
      task,
      state: 'queued',
    };
    this.#queue.add(key, entry);
    const onAbort = (): void => this.#leave(entry, signal!.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#runNext();
    return await entry.promise.finally(() => signal?.removeEventListener('abort', onAbort));
  };

  close = async (): Promise<void> => {
    this.#isClosed = true;
    for (const { reject } of this.#queue.items()) reject(this.#options.toError());
    await this.#worker?.terminate();
  };

  #unfinished(key?: string): Task[] {
    const entry = this.#running?.entry;
    const isIncluded = entry && (key === undefined || entry.key === key);
    return tasksOf([...(isIncluded ? [entry] : []), ...this.#queue.items(key)]);
  }

  #runNext(): void {
    const entry = this.#running || this.#isClosed ? undefined : this.#takeNext();
    if (!entry) return;
    const { timeoutMs, toError } = this.#options;
    try {
      const worker = (this.#worker ??= this.#start());
      const { id, task } = entry;
      send(worker, entry.state === 'paused' ? { id } : { id, task });
      entry.state = 'running';
      const onTimeout = (): void =>
        this.#onFailure(worker, new Error(`no reply within ${timeoutMs} ms`));
      this.#running = { entry, timer: setTimeout(onTimeout, timeoutMs).unref() };
    } catch (cause) {
      entry.reject(toError(cause));
      // Not called directly, because all queued tasks may fail like this one.
      setImmediate(() => this.#runNext());
    }
  }

  #takeNext(): Unfinished<Task, Reply> | undefined {
    const paused = tasksOf(this.#queue.items().filter(({ state }) => state === 'paused'));
    const { mayBegin = () => true } = this.#options;
    return this.#queue.take(
      (_key, { state, task }) => state === 'paused' || mayBegin(task, paused),
    );
  }

  #endTurn(): Unfinished<Task, Reply> | undefined {
    const entry = this.#running?.entry;
    clearTimeout(this.#running?.timer);
    this.#running = undefined;
    return entry;
  }

  #onReply(sender: Worker, reply: TaskReply<Reply>): void {
    // A thread that was replaced may still reply, and emits `exit`; both are ignored.
    if (this.#worker !== sender) return;
    const entry = this.#endTurn();
    if (entry && 'reply' in reply) entry.resolve(reply.reply);
    else if (entry?.state === 'left') send(sender, { id: entry.id, isCancelled: true });
    else if (entry) {
      entry.state = 'paused';
      this.#queue.addFirst(entry.key, entry);
    }
    this.#runNext();
  }

  #onFailure(failed: Worker, cause: unknown): void {
    if (this.#worker !== failed) return;
    this.#worker = undefined;
    for (const entry of this.#queue.items()) entry.state = 'queued';
    this.#endTurn()?.reject(this.#options.toError(cause));
    this.#runNext();
    // A thread that timed out, or whose reply could not be deserialized, is still running.
    void failed.terminate();
  }

  #leave(entry: Unfinished<Task, Reply>, reason: Error): void {
    this.#queue.remove(entry.key, entry);
    if (entry.state === 'paused' && this.#worker) {
      send(this.#worker, { id: entry.id, isCancelled: true });
    }
    entry.state = 'left';
    entry.reject(reason);
    // Another task may have waited for the end of this one.
    this.#runNext();
  }

  /** Starts a thread that does not prevent the process from exiting. */
  #start(): Worker {
    const started = this.#options.createWorker();
    started.unref();
    started.on('message', (reply: TaskReply<Reply>) => this.#onReply(started, reply));
    for (const event of ['error', 'messageerror', 'exit']) {
      started.on(event, (cause: unknown) => this.#onFailure(started, cause));
    }
    return started;
  }
}

const send = <Task>(worker: Worker, message: TaskMessage<Task>): void =>
  worker.postMessage(message);

const tasksOf = <Task>(entries: readonly { task: Task }[]): Task[] =>
  entries.map(({ task }) => task);

/** What a worker of the console posts: its result, or why it has none. */
export type WorkerReply<Result> = { result: Result } | { problem: string };

const WORK_TIMEOUT_MS = 60_000;

/** A worker that does one task at a time; disposing ends it. */
export type TaskWorker = Disposable & {
  /** Rejects with the worker's problem, with the reason of the signal, or after a minute. */
  run: <Result>(task: unknown, signal?: AbortSignal) => Promise<Result>;
};

export const openTaskWorker = (worker: Worker): TaskWorker => ({
  run: async <Result>(task: unknown, signal?: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const timeout = AbortSignal.timeout(WORK_TIMEOUT_MS);
    const aborted = signal ? AbortSignal.any([signal, timeout]) : timeout;
    const settled = new AbortController();
    const once = { once: true, signal: settled.signal };
    aborted.addEventListener('abort', () => reject(aborted.reason as Error), once);
    worker.addEventListener('error', ({ message }) => reject(new Error(message)), once);
    worker.addEventListener(
      'message',
      ({ data }: MessageEvent<WorkerReply<Result>>) => {
        if ('result' in data) resolve(data.result);
        else reject(new Error(data.problem));
      },
      once,
    );
    try {
      worker.postMessage(task);
      return await promise;
    } finally {
      settled.abort();
    }
  },
  [Symbol.dispose]: () => worker.terminate(),
});

/** Posts a task to a new worker, resolves with its result and ends it. */
export const runInWorker = async <Result>(worker: Worker, task: unknown): Promise<Result> => {
  using opened = openTaskWorker(worker);
  return await opened.run(task);
};

/** Answers the tasks of a {@link TaskWorker}; runs in the worker. */
export const answerTasks = (work: (task: never) => unknown): void => {
  addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    postMessage(reply(data as never, work));
  });
};

const reply = <Task, Result>(task: Task, work: (task: Task) => Result): WorkerReply<Result> => {
  try {
    return { result: work(task) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
};

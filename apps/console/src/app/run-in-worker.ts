/** What a worker of the console posts: its result, or why it has none. */
export type WorkerReply<Result> = { result: Result } | { problem: string };

const WORK_TIMEOUT_MS = 60_000;

/**
 * Posts a task to a new worker, resolves with its result and ends it. Rejects with the problem that
 * it names, or after a minute.
 */
export const runInWorker = async <Result>(worker: Worker, task: unknown): Promise<Result> => {
  try {
    return await new Promise<Result>((resolve, reject) => {
      const signal = AbortSignal.timeout(WORK_TIMEOUT_MS);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
      worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply<Result>>) => {
        if ('result' in data) resolve(data.result);
        else reject(new Error(data.problem));
      });
      worker.addEventListener('error', ({ message }) => reject(new Error(message)));
      worker.postMessage(task);
    });
  } finally {
    worker.terminate();
  }
};

/** Answers the tasks of {@link runInWorker}; runs in the worker. */
export const answerTasks = (work: (task: never) => unknown): void => {
  addEventListener('message', ({ data }: MessageEvent<never>) => {
    postMessage(reply(data, work));
  });
};

const reply = (task: never, work: (task: never) => unknown): WorkerReply<unknown> => {
  try {
    return { result: work(task) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
};

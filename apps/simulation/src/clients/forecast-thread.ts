import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { RunForecast } from '../domain/turn/forecast-scenario.ts';
import type { ForecastReply, ForecastTask } from './forecast-thread-main.ts';

export type ForecastThread = { run: RunForecast; close: () => Promise<void> };

const TASK_TIMEOUT_MS = 30_000;

/**
 * Runs one forecast at a time in a worker thread, because the largest one would block the event
 * loop for a second. The first forecast starts the thread.
 */
export const openForecastThread = (): ForecastThread => {
  let worker: Worker | undefined;
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  const ask = async (task: ForecastTask): Promise<ForecastReply> => {
    if (isClosed) throw gone();
    const asked = (worker ??= start());
    try {
      return await answerOf(asked, task);
    } catch (error) {
      worker = undefined;
      await asked.terminate();
      throw error;
    }
  };
  return {
    run: async (state, input, signal) => {
      const reply = last.then(() => {
        signal.throwIfAborted();
        return ask({ state, input });
      });
      last = reply.catch(() => undefined);
      const answered = await reply;
      if ('failure' in answered) throw new Error(answered.failure);
      return answered.forecast;
    },
    close: async () => {
      isClosed = true;
      await worker?.terminate();
    },
  };
};

const start = (): Worker => {
  const started = new Worker(new URL('./forecast-thread-main.ts', import.meta.url));
  started.unref();
  return started;
};

const answerOf = async (worker: Worker, task: ForecastTask): Promise<ForecastReply> => {
  const { promise, resolve, reject } = Promise.withResolvers<ForecastReply>();
  const onDeath = (cause: unknown): void => reject(gone(cause));
  const timer = setTimeout(onDeath, TASK_TIMEOUT_MS);
  worker.once('message', resolve).once('error', onDeath).once('exit', onDeath);
  worker.postMessage(task);
  return await promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', onDeath).off('exit', onDeath);
  });
};

const gone = (cause?: unknown): Error =>
  unavailable('The forecaster is not there at the moment; try again.', cause);

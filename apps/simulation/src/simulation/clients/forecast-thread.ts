import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { RunForecast } from '../forecast-scenario.ts';
import type { ForecastReply, ForecastTask } from './forecast-thread-main.ts';

export type ForecastThread = { run: RunForecast; close: () => Promise<void> };

const TASK_TIMEOUT_MS = 30_000;

/**
 * Creates a worker thread for forecasts, because the largest forecast would block the event loop
 * for a second. It runs one forecast at a time and starts with the first one.
 */
export const openForecastThread = (): ForecastThread => {
  let worker: Worker | undefined;
  let isClosed = false;
  let previous: Promise<unknown> = Promise.resolve();
  const runTask = async (task: ForecastTask): Promise<ForecastReply> => {
    if (isClosed) throw forecasterUnavailable();
    const current = (worker ??= startWorker());
    try {
      return await postTask(current, task);
    } catch (error) {
      worker = undefined;
      await current.terminate();
      throw error;
    }
  };
  return {
    run: async (state, input, signal) => {
      const reply = previous.then(() => {
        signal.throwIfAborted();
        return runTask({ state, input });
      });
      previous = reply.catch(() => undefined);
      const outcome = await reply;
      if ('failure' in outcome) throw new Error(outcome.failure);
      return outcome.forecast;
    },
    close: async () => {
      isClosed = true;
      await worker?.terminate();
    },
  };
};

const startWorker = (): Worker => {
  const started = new Worker(new URL('./forecast-thread-main.ts', import.meta.url));
  started.unref();
  return started;
};

const postTask = async (worker: Worker, task: ForecastTask): Promise<ForecastReply> => {
  const { promise, resolve, reject } = Promise.withResolvers<ForecastReply>();
  const onWorkerFailure = (cause: unknown): void => reject(forecasterUnavailable(cause));
  const timer = setTimeout(onWorkerFailure, TASK_TIMEOUT_MS);
  worker.once('message', resolve).once('error', onWorkerFailure).once('exit', onWorkerFailure);
  worker.postMessage(task);
  return await promise.finally(() => {
    clearTimeout(timer);
    worker.off('message', resolve).off('error', onWorkerFailure).off('exit', onWorkerFailure);
  });
};

const forecasterUnavailable = (cause?: unknown): Error =>
  unavailable('The forecaster is not there at the moment; try again.', cause);

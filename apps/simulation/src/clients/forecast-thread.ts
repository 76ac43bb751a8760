import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import type { RunForecast } from '../domain/turn/forecast-scenario.ts';
import type { ForecastReply, ForecastTask } from './forecast-thread-main.ts';

/** Forecasts in a thread of its own, which the first of them starts. */
export type ForecastThread = { run: RunForecast; close: () => Promise<void> };

/** The largest takes a second or two; one that takes this long never ends. */
const TASK_TIMEOUT_MS = 30_000;

/**
 * Ten thousand runs of forty years are a second of arithmetic, in which a service that did it by
 * itself would answer nobody. One forecast is made at a time, in the order in which they came.
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
      // A thread that died, or never ends, is no use to the next.
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
  // A service that stops does not wait for it.
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

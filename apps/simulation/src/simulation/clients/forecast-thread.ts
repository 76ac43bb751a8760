import { Worker } from 'node:worker_threads';
import { unavailable } from '@witan/contracts';
import { openWorkerThread } from '@witan/service-kit';
import type { RunForecast } from '../forecast-scenario.ts';
import type { ForecastReply, ForecastTask } from './forecast-thread-main.ts';

type ForecastThread = { run: RunForecast; close: () => Promise<void> };

const TASK_TIMEOUT_MS = 30_000;

/**
 * Creates a worker thread for forecasts, because the largest forecast would block the event loop
 * for seconds. It runs one forecast at a time, in the order of the calls.
 */
export const openForecastThread = (): ForecastThread => {
  const thread = openWorkerThread<ForecastTask, ForecastReply>({
    createWorker: () => new Worker(new URL('./forecast-thread-main.ts', import.meta.url)),
    timeoutMs: TASK_TIMEOUT_MS,
    toError: (cause) => unavailable('The forecaster is not there at the moment; try again.', cause),
  });
  return {
    run: async (state, input, signal) => {
      const reply = await thread.run({ state, input }, { key: '', signal });
      if ('failure' in reply) throw new Error(reply.failure);
      return reply.forecast;
    },
    close: thread.close,
  };
};

import { parentPort } from 'node:worker_threads';
import { forecast } from '../../engine/engine.ts';
import type { EngineState, Forecast, ForecastInput } from '../../engine/engine.ts';

export type ForecastTask = { state: EngineState; input: ForecastInput };
export type ForecastReply = { forecast: Forecast } | { failure: string };

parentPort!.on('message', ({ state, input }: ForecastTask) => {
  parentPort!.postMessage(run(state, input));
});

const run = (state: EngineState, input: ForecastInput): ForecastReply => {
  try {
    return { forecast: forecast(state, input) };
  } catch (error) {
    return { failure: String(error) };
  }
};

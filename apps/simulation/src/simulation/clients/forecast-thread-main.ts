import { serveTasks } from '@witan/service-kit/tasks';
import { forecast } from '../../engine/engine.ts';
import type { EngineState, Forecast, ForecastInput } from '../../engine/engine.ts';

export type ForecastTask = { state: EngineState; input: ForecastInput };
export type ForecastReply = { forecast: Forecast } | { failure: string };

serveTasks(({ state, input }: ForecastTask): ForecastReply => {
  try {
    return { forecast: forecast(state, input) };
  } catch (error) {
    return { failure: String(error) };
  }
});

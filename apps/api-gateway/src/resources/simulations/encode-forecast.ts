import type { ForecastResponse, ReplayResponse } from '@witan/contracts';
import { encodeAs } from '../../http/encode.ts';
import { forecastSchema } from './forecast-schema.ts';

export const encodeForecast = (forecast: ForecastResponse) =>
  encodeAs(
    forecastSchema,
    { ...forecast, percentileIntervals: forecast.intervals },
    { insolvencyInterval: { low: forecast.insolvencyLow, high: forecast.insolvencyHigh } },
  );

export const encodeReplay = ({ matches, turns, mismatches }: ReplayResponse) => ({
  matches,
  turns,
  mismatches: mismatches.map((mismatch) => {
    const [scenarioId, turn] = mismatch.split(':');
    return { scenarioId, turn: Number(turn) };
  }),
});

import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ForecastPathSchema, ForecastResponseSchema } from '@witan/contracts';
import type { Forecast, ForecastPath } from '../../engine/engine.ts';

export const toForecast = ({
  turns,
  runs,
  forecast: { percentiles, intervals, insolvency },
}: {
  turns: number;
  runs: number;
  forecast: Forecast;
}): MessageInitShape<typeof ForecastResponseSchema> => ({
  turns,
  runs,
  percentiles: Object.fromEntries(
    Object.entries(percentiles).map(([name, path]) => [name, toPath(path)]),
  ),
  intervals: Object.fromEntries(
    Object.entries(intervals).map(([name, { low, high }]) => [
      name,
      { low: toPath(low), high: toPath(high) },
    ]),
  ),
  insolvencyProbability: insolvency.probability,
  insolvencyLow: insolvency.low,
  insolvencyHigh: insolvency.high,
});

const toPath = ({
  revenue,
  cash,
  marketShare,
}: ForecastPath): MessageInitShape<typeof ForecastPathSchema> => ({
  revenue: [...revenue],
  cash: [...cash],
  marketShare: [...marketShare],
});

import type {
  ForecastInterval,
  ForecastPath,
  ForecastResponse,
  ReplayResponse,
} from '@witan/contracts';

const PERCENTILES = ['p5', 'p25', 'p50', 'p75', 'p95'] as const;

export const encodeForecast = (forecast: ForecastResponse) => ({
  turns: forecast.turns,
  runs: forecast.runs,
  percentiles: Object.fromEntries(
    PERCENTILES.map((name) => [name, encodePath(forecast.percentiles[name]!)]),
  ),
  percentileIntervals: Object.fromEntries(
    PERCENTILES.map((name) => [name, encodeInterval(forecast.intervals[name]!)]),
  ),
  insolvencyProbability: forecast.insolvencyProbability,
  insolvencyInterval: { low: forecast.insolvencyLow, high: forecast.insolvencyHigh },
});

const encodeInterval = ({ low, high }: ForecastInterval) => ({
  low: encodePath(low!),
  high: encodePath(high!),
});

const encodePath = ({ revenue, cash, marketShare }: ForecastPath) => ({
  revenue,
  cash,
  marketShare,
});

export const encodeReplay = ({ matches, turns, mismatches }: ReplayResponse) => ({
  matches,
  turns,
  mismatches: mismatches.map((mismatch) => {
    const [scenarioId, turn] = mismatch.split(':');
    return { scenarioId, turn: Number(turn) };
  }),
});

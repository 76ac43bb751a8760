import { closedObject, count, flag, share, text } from '../../http/schema.ts';

const TURNS_MAX = 40;
const RUNS_MIN = 10;
const RUNS_MAX = 10_000;
const ID_LENGTH_MAX = 80;
const MISMATCHES_MAX = 100;

const byTurn = {
  type: 'array',
  items: { type: 'number' },
  description: 'One number a turn, the next turn first',
} as const;

export const FORECAST_REQUEST = {
  type: 'object',
  properties: {
    turns: { type: 'integer', minimum: 1, maximum: TURNS_MAX, description: '8 by default' },
    runs: {
      type: 'integer',
      minimum: RUNS_MIN,
      maximum: RUNS_MAX,
      description: '1,000 by default',
    },
    scenarioId: {
      type: 'string',
      maxLength: ID_LENGTH_MAX,
      description: 'By default the oldest active scenario',
    },
  },
} as const;

const path = closedObject({ revenue: byTurn, cash: byTurn, marketShare: byTurn });
const interval = closedObject({ low: path, high: path });

const forecastSchema = closedObject({
  turns: count,
  runs: count,
  percentiles: closedObject({ p5: path, p25: path, p50: path, p75: path, p95: path }),
  percentileIntervals: {
    ...closedObject({
      p5: interval,
      p25: interval,
      p50: interval,
      p75: interval,
      p95: interval,
    }),
    description:
      'Where each of them is with 95 % certainty, by the number of runs (order statistics); ' +
      'where the runs are too few, the least or greatest that was met',
  },
  insolvencyProbability: share,
  insolvencyInterval: {
    ...closedObject({ low: share, high: share }),
    description: 'Where it is with 95 % certainty, by the number of runs (Wilson)',
  },
});

export const FORECAST = closedObject({ forecast: forecastSchema });

export const REPLAY = closedObject({
  matches: flag,
  turns: { ...count, description: 'How many were computed again' },
  mismatches: {
    type: 'array',
    items: closedObject({ scenarioId: text, turn: count }),
    maxItems: MISMATCHES_MAX,
    description: 'States that came out another way: the first 100, in the order of scenarios',
  },
});

import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { MarketObserver } from './market/market-analysis.ts';
import type { Report } from './simulation/simulation.ts';
import type { TurnObserver } from './simulation/replay-simulation.ts';

export type Metrics = TurnObserver &
  MarketObserver & {
    onReport: (report: Report) => void;
    onRejected: (reason: string) => void;
  };

/**
 * Creates the metrics. Their labels contain no ids of simulations or workspaces, because the number
 * of time series would be unbounded.
 */
export const createMetrics = (registry: Registry): Metrics => ({
  ...createTurnMetrics(registry),
  ...createReportMetrics(registry),
  ...createMarketMetrics(registry),
});

const COUNCIL_BUCKETS_S = [0.05, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];
const COMPUTE_BUCKETS_S = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const createTurnMetrics = (registry: Registry): TurnObserver => {
  const registers = [registry];
  const turns = new Counter({
    name: 'simulation_turns_total',
    help: 'Turns of simulations that were completed and stored.',
    registers,
  });
  const turnSeconds = new Histogram({
    name: 'simulation_turn_seconds',
    help: 'Time from the call to a turn that is stored, councils and waiting included, in seconds.',
    buckets: COUNCIL_BUCKETS_S,
    registers,
  });
  const steps = new Counter({
    name: 'simulation_steps_total',
    help: 'Steps of scenarios in turns that were stored, by decider: council or nobody.',
    labelNames: ['decided'] as const,
    registers,
  });
  const clamps = new Counter({
    name: 'simulation_clamps_total',
    help: 'Levers that were changed after the decision, by reason: bounds or cash.',
    labelNames: ['reason'] as const,
    registers,
  });
  const replayed = new Counter({
    name: 'simulation_replays_total',
    help: 'Simulations that were replayed: same, or different if a state differs.',
    labelNames: ['outcome'] as const,
    registers,
  });
  const computeSeconds = new Histogram({
    name: 'simulation_compute_seconds',
    help: 'Time that a forecast or a replay took, waiting included, in seconds.',
    labelNames: ['what'] as const,
    buckets: COMPUTE_BUCKETS_S,
    registers,
  });
  return {
    onTurn: (states, tookMs) => {
      turns.inc();
      turnSeconds.observe(tookMs / 1_000);
      for (const { decision } of states) {
        steps.inc({ decided: decision.isFallback ? 'nobody' : 'council' });
        for (const { reason } of decision.clamped) clamps.inc({ reason });
      }
    },
    onReplayed: ({ mismatches }, tookMs) => {
      replayed.inc({ outcome: mismatches.length === 0 ? 'same' : 'different' });
      computeSeconds.observe({ what: 'replay' }, tookMs / 1_000);
    },
    onForecast: (tookMs) => computeSeconds.observe({ what: 'forecast' }, tookMs / 1_000),
  };
};

const createReportMetrics = (registry: Registry): Pick<Metrics, 'onReport' | 'onRejected'> => {
  const reports = new Counter({
    name: 'simulation_reports_total',
    help: 'Reports that were stored, by writer of their prose: model or rules.',
    labelNames: ['writer'] as const,
    registers: [registry],
  });
  const rejected = new Counter({
    name: 'simulation_prose_rejected_total',
    help: 'Prose of models that was rejected, by reason: form, numbers, or the error of the call.',
    labelNames: ['why'] as const,
    registers: [registry],
  });
  return {
    onReport: ({ templateReason }) => reports.inc({ writer: templateReason ? 'rules' : 'model' }),
    onRejected: (reason) => rejected.inc({ why: reason.toLowerCase() }),
  };
};

const createMarketMetrics = (registry: Registry): MarketObserver => {
  const analyses = new Counter({
    name: 'simulation_market_analyses_total',
    help: 'Market analyses that were stored, by depth and by how often a model was asked: 1 or 2.',
    labelNames: ['depth', 'calls'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'simulation_market_analysis_seconds',
    help: 'Time from the call to an analysis that is stored, in seconds.',
    labelNames: ['depth'] as const,
    buckets: COUNCIL_BUCKETS_S,
    registers: [registry],
  });
  return {
    onAnalysed: ({ depth, proofIds }, tookMs) => {
      analyses.inc({ depth, calls: String(proofIds.length) });
      seconds.observe({ depth }, tookMs / 1_000);
    },
  };
};

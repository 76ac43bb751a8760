import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DueDelivery, Settlement } from './domain/delivery/delivery.ts';

/** What operators watch: how attempts end, how long they take, and what waits too long. */
export type Metrics = {
  /** Of an attempt that was made; `tookMs` is from its claim to its end. */
  onAttempt: (due: DueDelivery, settlement: Settlement, tookMs: number) => void;
  onLate: (count: number) => void;
};

export const createMetrics = (registry: Registry): Metrics => {
  const attempts = new Counter({
    name: 'notifier_attempts_total',
    help: 'Attempts by how they ended: delivered, why they failed, or not_made.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const ended = new Counter({
    name: 'notifier_deliveries_ended_total',
    help: 'Deliveries that came to an end, by how.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'notifier_attempt_seconds',
    help: 'Time that an attempt took, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const waited = new Histogram({
    name: 'notifier_due_seconds',
    help: 'Time between the moment that an attempt was due and its claim, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10, 60, 600],
    registers: [registry],
  });
  const late = new Counter({
    name: 'notifier_late_results_total',
    help: 'Results of attempts whose lease had gone to somebody else.',
    registers: [registry],
  });
  return {
    onAttempt: ({ waitedMs }, { state, spent }, tookMs) => {
      waited.observe(waitedMs / 1_000);
      seconds.observe(tookMs / 1_000);
      attempts.inc({ outcome: spent ? (spent.error ?? 'delivered') : 'not_made' });
      if (state !== 'pending') ended.inc({ outcome: state });
    },
    onLate: (count) => late.inc(count),
  };
};

import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DueDelivery, Settlement } from './delivery/delivery.ts';
import type { DisabledReason } from './webhook/webhook.ts';

export type Metrics = {
  onAttempt: (due: DueDelivery, settlement: Settlement, tookMs: number) => void;
  onLate: (count: number) => void;
  onDisabled: (reason: DisabledReason) => void;
};

export const createMetrics = (registry: Registry): Metrics => {
  const attempts = new Counter({
    name: 'notifier_attempts_total',
    help: 'Attempts by outcome: delivered, the reason of the failure, or not_made.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const endedDeliveries = new Counter({
    name: 'notifier_deliveries_ended_total',
    help: 'Deliveries that ended, by outcome.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'notifier_attempt_seconds',
    help: 'Duration of an attempt, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  const waited = new Histogram({
    name: 'notifier_due_seconds',
    help: 'Time from when an attempt was due to its claim, in seconds.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 10, 60, 600],
    registers: [registry],
  });
  const lateSettlements = new Counter({
    name: 'notifier_late_results_total',
    help: 'Results of attempts that another replica had leased meanwhile.',
    registers: [registry],
  });
  const disabledWebhooks = new Counter({
    name: 'notifier_webhooks_disabled_total',
    help: 'Webhooks that the service disabled, by reason.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  return {
    onAttempt: ({ waitedMs }, { state, result }, tookMs) => {
      waited.observe(waitedMs / 1_000);
      seconds.observe(tookMs / 1_000);
      attempts.inc({ outcome: result ? (result.error ?? 'delivered') : 'not_made' });
      if (state !== 'pending') endedDeliveries.inc({ outcome: state });
    },
    onLate: (count) => lateSettlements.inc(count),
    onDisabled: (reason) => disabledWebhooks.inc({ reason }),
  };
};

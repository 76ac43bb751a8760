import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

const NAME = 'consumer_facts_total';

export type ConsumerOutcome = 'handled' | 'failed' | 'given_up';

export const createConsumerMetrics = (
  registry: Registry,
  durable: string,
): ((outcome: ConsumerOutcome) => void) => {
  const existing = registry.getSingleMetric(NAME) as Counter<'consumer' | 'outcome'> | undefined;
  const counter =
    existing ??
    new Counter({
      name: NAME,
      help: 'Events delivered to a consumer, by outcome.',
      labelNames: ['consumer', 'outcome'] as const,
      registers: [registry],
    });
  return (outcome) => counter.inc({ consumer: durable, outcome });
};

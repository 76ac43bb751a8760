import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';

const NAME = 'consumer_facts_total';

/** How a hand-over of a fact ended. */
export type ConsumerOutcome = 'handled' | 'failed' | 'given_up';

/** Counts hand-overs by consumer and outcome; several consumers of a service share it. */
export const createConsumerMetrics = (
  registry: Registry,
  durable: string,
): ((outcome: ConsumerOutcome) => void) => {
  const known = registry.getSingleMetric(NAME) as Counter<'consumer' | 'outcome'> | undefined;
  const counter =
    known ??
    new Counter({
      name: NAME,
      help: 'Facts that were handed to a consumer, by how that ended.',
      labelNames: ['consumer', 'outcome'] as const,
      registers: [registry],
    });
  return (outcome) => counter.inc({ consumer: durable, outcome });
};

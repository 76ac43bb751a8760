import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Log } from '../log/create-log.ts';
import type { EventTransport } from './event-transport.ts';
import { handleDelivery } from './handle-delivery.ts';
import type { CountOutcome, Handling } from './handle-delivery.ts';

export type Consumer = {
  stop: () => Promise<void>;
};

export type ConsumerOptions = Handling & {
  events: EventTransport;
  durable: string;
  log: Log;
  registry: Registry;
  /** Maximum number of events that this process handles concurrently; 1 by default. */
  concurrency?: number;
};

/**
 * Passes the events of a durable consumer to the handler, each at least once, until stopped.
 * Continues after a broker outage, missing heartbeats and the deletion of the consumer.
 */
export const startConsumer = (options: ConsumerOptions): Consumer => {
  const counter = new Counter({
    name: 'consumer_facts_total',
    help: 'Events delivered to a consumer, by outcome.',
    labelNames: ['consumer', 'outcome'] as const,
    registers: [options.registry],
  });
  const count: CountOutcome = (outcome) => counter.inc({ consumer: options.durable, outcome });
  const { concurrency = 1 } = options;
  const workers = Array.from({ length: concurrency }, () => startWorker(options, count));
  return {
    stop: async () => {
      await Promise.all(workers.map((worker) => worker.stop()));
    },
  };
};

const startWorker = (options: ConsumerOptions, count: CountOutcome): Consumer => {
  const stopping = new AbortController();
  const parts = { ...options, count, stopping: stopping.signal };
  const source = options.events.openSource(options);
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const delivery = await source.next();
      if (delivery) await handleDelivery(delivery, parts);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      source.stop();
      await running;
    },
  };
};

import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

/** What operators watch of an outbox. */
export type RelayMetrics = {
  onPublished: (count: number) => void;
  onDead: (errorClass: string) => void;
  onLooked: (outbox: OutboxState) => void;
};

/** How an outbox stands. */
export type OutboxState = { waiting: number; dead: number; oldestSeconds: number };

export const createRelayMetrics = (registry: Registry): RelayMetrics => {
  const registers = [registry];
  const published = new Counter({
    name: 'outbox_published_total',
    help: 'Facts that the broker has acknowledged.',
    registers,
  });
  const died = new Counter({
    name: 'outbox_dead_total',
    help: 'Facts that the broker will never take, by why.',
    labelNames: ['error_class'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'outbox_waiting',
    help: 'Facts that wait for the broker.',
    registers,
  });
  const oldest = new Gauge({
    name: 'outbox_oldest_waiting_seconds',
    help: 'How long the oldest waiting fact has waited, in seconds.',
    registers,
  });
  const dead = new Gauge({
    name: 'outbox_dead',
    help: 'Facts in the outbox that were given up; always 0.',
    registers,
  });
  return {
    onPublished: (count) => published.inc(count),
    onDead: (errorClass) => died.inc({ error_class: errorClass }),
    onLooked: (state) => {
      waiting.set(state.waiting);
      oldest.set(state.oldestSeconds);
      dead.set(state.dead);
    },
  };
};

import { Counter, Gauge } from 'prom-client';
import type { Registry } from 'prom-client';

export type RelayMetrics = {
  onPublished: (count: number) => void;
  onDead: (errorClass: string) => void;
  onOutboxState: (outbox: OutboxState) => void;
};

export type OutboxState = { waiting: number; dead: number; oldestSeconds: number };

export const createRelayMetrics = (registry: Registry): RelayMetrics => {
  const registers = [registry];
  const published = new Counter({
    name: 'outbox_published_total',
    help: 'Events that the broker has acknowledged.',
    registers,
  });
  const deadTotal = new Counter({
    name: 'outbox_dead_total',
    help: 'Events that the broker rejected for good, by reason.',
    labelNames: ['error_class'] as const,
    registers,
  });
  const waiting = new Gauge({
    name: 'outbox_waiting',
    help: 'Events that wait for the broker.',
    registers,
  });
  const oldest = new Gauge({
    name: 'outbox_oldest_waiting_seconds',
    help: 'Age of the oldest waiting event, in seconds.',
    registers,
  });
  const dead = new Gauge({
    name: 'outbox_dead',
    help: 'Dead events in the outbox; expected to be 0.',
    registers,
  });
  return {
    onPublished: (count) => published.inc(count),
    onDead: (errorClass) => deadTotal.inc({ error_class: errorClass }),
    onOutboxState: (state) => {
      waiting.set(state.waiting);
      oldest.set(state.oldestSeconds);
      dead.set(state.dead);
    },
  };
};

import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { AttemptRecord } from './domain/completion/ports.ts';

/** What operators watch: how each provider answers, and how long it takes to begin. */
export type Meters = { onAttempt: (record: AttemptRecord) => void };

/** `operator` names the providers with a label of their own; workspaces' own are counted as one. */
export const createMeters = (registry: Registry, operator: ReadonlySet<string>): Meters => {
  const attempts = new Counter({
    name: 'llm_gateway_attempts_total',
    help: 'Calls to model providers: which provider, which try, and what came of it.',
    labelNames: ['provider', 'attempt', 'outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'llm_gateway_first_byte_seconds',
    help: 'Time until a provider answered with a status, in seconds.',
    labelNames: ['provider'] as const,
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  return {
    onAttempt: ({ provider, attempt, outcome, status, durationMs }) => {
      const label = operator.has(provider) ? provider : 'workspace';
      const result = status === 0 ? outcome.toLowerCase() : `${Math.floor(status / 100)}xx`;
      attempts.inc({ provider: label, attempt: String(attempt), outcome: result });
      if (status !== 0) seconds.observe({ provider: label }, durationMs / 1_000);
    },
  };
};

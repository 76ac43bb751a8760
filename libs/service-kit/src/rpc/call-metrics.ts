import { isServiceError } from '@witan/contracts';
import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';

export type EndedCall = { name: string; isDuplex: boolean; seconds: number; failure?: unknown };

export const createCallMetrics = (registry: Registry): ((call: EndedCall) => void) => {
  const calls = new Counter({
    name: 'rpc_server_calls_total',
    help: 'Calls from other services, by method and outcome: ok or the reason.',
    labelNames: ['method', 'outcome'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'rpc_server_call_seconds',
    help: 'Duration of calls from other services in seconds, without duplex calls.',
    labelNames: ['method'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  return ({ name: method, isDuplex, seconds: durationSeconds, failure }) => {
    calls.inc({ method, outcome: outcomeOf(failure) });
    if (!isDuplex) seconds.observe({ method }, durationSeconds);
  };
};

const outcomeOf = (failure: unknown): string => {
  if (failure === undefined) return 'ok';
  return isServiceError(failure) ? failure.reason.toLowerCase() : 'internal';
};

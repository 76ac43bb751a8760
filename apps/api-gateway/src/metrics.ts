import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { RefusalReason } from './auth/authenticate.ts';

export type Metrics = {
  requests: Counter<'route' | 'status'>;
  requestSeconds: Histogram<'route'>;
  onLimited: (limit: 'rate' | 'streams' | 'background' | 'uploads') => void;
  onKeyRefused: (reason: RefusalReason) => void;
  onStalled: () => void;
};

export const createMetrics = (registry: Registry): Metrics => {
  const requests = new Counter({
    name: 'api_gateway_requests_total',
    help: 'Finished requests, by route (none for an unknown path) and status or client_left.',
    labelNames: ['route', 'status'] as const,
    registers: [registry],
  });
  const requestSeconds = new Histogram({
    name: 'api_gateway_request_seconds',
    help: 'Time from a request to the end of its response, including streams, in seconds.',
    labelNames: ['route'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'api_gateway_limited_total',
    help: 'Calls refused because of a limit, by limit.',
    labelNames: ['limit'] as const,
    registers: [registry],
  });
  const keys = new Counter({
    name: 'api_gateway_keys_refused_total',
    help: 'Calls refused because of their API key, by reason.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  const stalled = new Counter({
    name: 'api_gateway_stalled_total',
    help: 'Responses whose connection was closed because the client did not read for 30 s.',
    registers: [registry],
  });
  return {
    onStalled: () => stalled.inc(),
    requests,
    requestSeconds,
    onKeyRefused: (reason) => keys.inc({ reason }),
    onLimited: (limit) => limited.inc({ limit }),
  };
};

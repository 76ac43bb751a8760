import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { RefusalReason } from './domain/key/authenticate.ts';

export type Metrics = {
  onFinished: (request: {
    route: string | undefined;
    status: number | 'client_left';
    seconds: number;
  }) => void;
  onLimited: (limit: 'rate' | 'streams' | 'uploads') => void;
  onKeyRefused: (reason: RefusalReason) => void;
  onStalled: () => void;
};

export const createMetrics = (registry: Registry): Metrics => {
  const requests = new Counter({
    name: 'api_gateway_requests_total',
    help: 'Requests that came to an end, by route (none: unknown path) and status or client_left.',
    labelNames: ['route', 'status'] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'api_gateway_request_seconds',
    help: 'Time from a request to the end of its answer, streams included, in seconds.',
    labelNames: ['route'] as const,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
    registers: [registry],
  });
  const limited = new Counter({
    name: 'api_gateway_limited_total',
    help: 'Calls that were refused because there were too many, by the limit.',
    labelNames: ['limit'] as const,
    registers: [registry],
  });
  const keys = new Counter({
    name: 'api_gateway_keys_refused_total',
    help: 'Calls that were refused because their key was not good, by what was wrong with it.',
    labelNames: ['reason'] as const,
    registers: [registry],
  });
  const stalled = new Counter({
    name: 'api_gateway_stalled_total',
    help: 'Answers whose connection was cut because their client did not read for 30 s.',
    registers: [registry],
  });
  return {
    onStalled: () => stalled.inc(),
    onFinished: ({ route = 'none', status, seconds: took }) => {
      requests.inc({ route, status });
      seconds.observe({ route }, took);
    },
    onKeyRefused: (reason) => keys.inc({ reason }),
    onLimited: (limit) => limited.inc({ limit }),
  };
};

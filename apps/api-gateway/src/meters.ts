import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { RefusalReason } from './domain/key/authenticate.ts';

/** What operators watch: which limit refuses calls, and what is wrong with keys. */
export type Meters = {
  onLimited: (limit: 'rate' | 'streams' | 'uploads') => void;
  onKeyRefused: (reason: RefusalReason) => void;
};

export const createMeters = (registry: Registry): Meters => {
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
  return {
    onKeyRefused: (reason) => keys.inc({ reason }),
    onLimited: (limit) => limited.inc({ limit }),
  };
};

import { Gauge } from 'prom-client';
import type { Registry } from 'prom-client';
import { VERSION } from './release.ts';

/** Registers a gauge that is always 1 and whose labels are the version and the commit. */
export const registerBuildInfo = (registry: Registry, revision: string): void => {
  const gauge = new Gauge({
    name: 'witan_build_info',
    help: 'Version and commit of the running program; always 1',
    labelNames: ['version', 'revision'],
    registers: [registry],
  });
  gauge.set({ version: VERSION, revision }, 1);
};

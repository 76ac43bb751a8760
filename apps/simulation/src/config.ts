import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, LoadOptions, ProcessConfig } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  completionTimeoutMs: number;
  panelTimeoutMs: number;
};

const TIMEOUT_MS = 600_000;
const TIMEOUT_MAX_MS = 3_600_000;

export const loadConfig = (
  env: Env = process.env,
  { requiresBroker }: LoadOptions = {},
): Config & { process: ProcessConfig } =>
  readEnv('simulation', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    completionTimeoutMs: read.integer('WITAN_COMPLETION_TIMEOUT_MS', {
      min: 1,
      max: TIMEOUT_MAX_MS,
      fallback: TIMEOUT_MS,
    }),
    panelTimeoutMs: read.integer('WITAN_PANEL_TIMEOUT_MS', {
      min: 1,
      max: TIMEOUT_MAX_MS,
      fallback: TIMEOUT_MS,
    }),
    process: readProcessConfig(read, ['agents', 'llm-gateway'], {
      hasEvents: true,
      requiresBroker,
    }),
  }));

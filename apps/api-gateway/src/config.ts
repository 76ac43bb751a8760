import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, ProcessConfig } from '@witan/service-kit';

/** What the api-gateway needs to know. */
export type Config = {
  databaseUrl: string;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Longest time of a completion, in milliseconds; above the llm-gateway's own limit. */
  completionTimeoutMs: number;
};

const HOUR_MS = 3_600_000;
/** The llm-gateway still certifies a call that took too long. */
const CERTIFY_MARGIN_MS = 15_000;

/** Reads the api-gateway's own part of the environment. Throws ConfigError with every fault. */
export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('api-gateway', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    host: read.text('WITAN_HOST', '0.0.0.0'),
    port: read.port('PORT', 8080),
    completionTimeoutMs:
      CERTIFY_MARGIN_MS +
      read.integer('WITAN_COMPLETION_TIMEOUT_MS', { min: 100, max: HOUR_MS, fallback: 600_000 }),
    process: readProcessConfig(read, ['llm-gateway', 'ledger']),
  }));

import { fileURLToPath } from 'node:url';
import { readEnv, readProcessConfig, readSecretsKey } from '@witan/service-kit';
import type { Env, ProcessConfig } from '@witan/service-kit';

export type Config = {
  databaseUrl: string;
  /**
   * Base64 keys of 32 bytes that encrypt the stored responses of idempotent calls. The first one
   * encrypts; all of them decrypt.
   */
  secretsKey: string;
  host: string;
  port: number;
  /**
   * Maximum duration of a completion in this service: the llm-gateway's own timeout plus the time
   * in which it certifies a call that timed out.
   */
  completionTimeoutMs: number;
  /** Calls per key and minute that one process accepts; 0 disables the limit. */
  rateLimitPerMinute: number;
  maxStreamsPerKey: number;
  idleGraceMs: number;
  /** Origins of web pages, besides those of this machine, that may call `/mcp`. */
  mcpOrigins: readonly string[];
  /** Folder of the built console, which `npm run console:build` writes. */
  consoleFolder: string;
};

const HOUR_MS = 3_600_000;
/**
 * Upper bound of the configured rate limit: up to it, the rate limiter's integers stay exact for
 * years of uptime.
 */
const RATE_LIMIT_MAX = 100_000;
const STREAMS_MAX = 100_000;
const IDLE_GRACE_MAX_MS = 60_000;
/**
 * Default time, outside development, for which a stopping process keeps idle connections open, so
 * that load balancers can stop reusing them first.
 */
const IDLE_GRACE_MS = 5_000;
/** Time that the llm-gateway needs to certify a call that timed out. */
const CERTIFY_MARGIN_MS = 15_000;

/**
 * In a clone, the folder that the build writes; in a bundle, where all code is in one folder, the
 * folder `console` beside it.
 */
const CONSOLE_FOLDER = fileURLToPath(
  new URL(
    import.meta.url.endsWith('/src/config.ts') ? '../../console/dist/site' : './console',
    import.meta.url,
  ),
);

export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('api-gateway', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    secretsKey: readSecretsKey(read),
    host: read.text('WITAN_HOST', '0.0.0.0'),
    port: read.port('PORT', 8080),
    completionTimeoutMs:
      CERTIFY_MARGIN_MS +
      read.integer('WITAN_COMPLETION_TIMEOUT_MS', { min: 100, max: HOUR_MS, fallback: 600_000 }),
    rateLimitPerMinute: read.integer('WITAN_RATE_LIMIT_PER_MINUTE', {
      min: 0,
      max: RATE_LIMIT_MAX,
      fallback: 0,
    }),
    maxStreamsPerKey: read.integer('WITAN_MAX_STREAMS_PER_KEY', {
      min: 0,
      max: STREAMS_MAX,
      fallback: 0,
    }),
    idleGraceMs: read.integer('WITAN_IDLE_GRACE_MS', {
      min: 0,
      max: IDLE_GRACE_MAX_MS,
      fallback: env.WITAN_ENV === 'development' ? 0 : IDLE_GRACE_MS,
    }),
    mcpOrigins: read.list('WITAN_MCP_ORIGINS'),
    consoleFolder: read.text('WITAN_CONSOLE_FOLDER', CONSOLE_FOLDER),
    process: readProcessConfig(read, ['simulation', 'agents', 'llm-gateway', 'ledger', 'notifier']),
  }));

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
  /** Responses that a workspace may have in the background, in one process. */
  maxBackgroundPerWorkspace: number;
  /** Bytes of request bodies, and of stored responses that they continue, in memory at once. */
  bodyBytesMax: number;
  /** Encrypted bytes of responses that a workspace may store. */
  storedBytesMax: number;
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
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
/** Twice the size of the largest body, because one workspace gets half of the memory. */
const BODY_BYTES_MIN = 64 * MIB;
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
    maxBackgroundPerWorkspace: read.integer('WITAN_MAX_BACKGROUND_PER_WORKSPACE', {
      min: 1,
      max: STREAMS_MAX,
      fallback: 64,
    }),
    bodyBytesMax: read.integer('WITAN_BODY_BYTES_MAX', {
      min: BODY_BYTES_MIN,
      max: 64 * GIB,
      fallback: 128 * MIB,
    }),
    storedBytesMax: read.integer('WITAN_STORED_RESPONSE_BYTES_MAX', {
      min: 0,
      max: 1_024 * GIB,
      fallback: 2 * GIB,
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

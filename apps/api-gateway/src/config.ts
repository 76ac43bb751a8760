import { readEnv, readProcessConfig, readSecretsKey } from '@witan/service-kit';
import type { Env, ProcessConfig } from '@witan/service-kit';

/** What the api-gateway needs to know. */
export type Config = {
  databaseUrl: string;
  /**
   * Keys of 32 bytes in base64, the first of which seals: for answers that are kept for calls with
   * an `Idempotency-Key`.
   */
  secretsKey: string;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Longest time of a completion, in milliseconds; above the llm-gateway's own limit. */
  completionTimeoutMs: number;
  /** Calls that one process takes of a key, a minute; 0 = no limit. */
  rateLimitPerMinute: number;
  /** Streamed completions of a key that run at once in one process; 0 = no limit. */
  maxStreamsPerKey: number;
  /** How long an ending process leaves idle connections to their clients, in milliseconds. */
  idleGraceMs: number;
};

const HOUR_MS = 3_600_000;
/** Far above what one process serves; with it the limiter's arithmetic is exact for years. */
const RATE_LIMIT_MAX = 100_000;
const STREAMS_MAX = 100_000;
const IDLE_GRACE_MAX_MS = 60_000;
/** A connection that is in use asks again within this time; load balancers have let go before. */
const IDLE_GRACE_MS = 5_000;
/** The llm-gateway still certifies a call that took too long. */
const CERTIFY_MARGIN_MS = 15_000;

/** Reads the api-gateway's own part of the environment. Throws ConfigError with every fault. */
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
    process: readProcessConfig(read, ['simulation', 'agents', 'llm-gateway', 'ledger', 'notifier']),
  }));

import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, ProcessConfig } from '@witan/service-kit';

/** What the agents service needs to know. */
export type Config = {
  databaseUrl: string;
  /** Tokens that a prompt and its answer may have together, whatever model answers. */
  contextTokens: number;
  /** Longest model call, in milliseconds. */
  completionTimeoutMs: number;
};

/** Fits every model that is offered today; an operator with small local models lowers it. */
const CONTEXT_TOKENS = 128_000;
const CONTEXT_TOKENS_MIN = 4_096;
const CONTEXT_TOKENS_MAX = 10_000_000;
const TIMEOUT_MS = 600_000;
const TIMEOUT_MAX_MS = 3_600_000;

/** Reads the service's own part of the environment. Throws ConfigError with every fault. */
export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('agents', env, (read) => ({
    databaseUrl: read.text('DATABASE_URL'),
    contextTokens: read.integer('WITAN_CONTEXT_TOKENS', {
      min: CONTEXT_TOKENS_MIN,
      max: CONTEXT_TOKENS_MAX,
      fallback: CONTEXT_TOKENS,
    }),
    completionTimeoutMs: read.integer('WITAN_COMPLETION_TIMEOUT_MS', {
      min: 1,
      max: TIMEOUT_MAX_MS,
      fallback: TIMEOUT_MS,
    }),
    process: readProcessConfig(read, ['llm-gateway']),
  }));

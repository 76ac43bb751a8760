import { readEnv, readProcessConfig } from '@witan/service-kit';
import type { Env, EnvReader, Environment, ProcessConfig } from '@witan/service-kit';
import type { Provider } from './domain/completion/ports.ts';
import type { ProviderTimeouts } from './providers/http-provider.ts';
import { OPENAI_BASE_URL } from './providers/openai.ts';
import type { OpenaiSettings } from './providers/openai.ts';
import { OFFLINE_MODEL } from './providers/offline/answer-offline.ts';

/** What the llm-gateway needs to know. */
export type Config = {
  openai: OpenaiSettings | undefined;
  local: { baseUrl: string; model: string; hosts: readonly string[] } | undefined;
  /** The stand-in answers: always in development, in production only when it is named. */
  offline: boolean;
  defaultProvider: Provider['name'];
  /** The full-quality model of the default provider. */
  fullModel: string;
  maxOutputTokens: number;
  /** Longest time of one completion, in milliseconds. */
  totalTimeoutMs: number;
  timeouts: ProviderTimeouts;
};

const PROVIDERS = ['openai', 'anthropic', 'local', 'offline'] as const;
const HOUR_MS = 3_600_000;
const FULL_MODEL = { openai: 'gpt-5', offline: OFFLINE_MODEL } as const;

/** Reads the llm-gateway's own part of the environment. Throws ConfigError with every fault. */
export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('llm-gateway', env, (read) => {
    const settings = readProcessConfig(read, ['ledger']);
    return { ...readProviders(read, settings.environment), ...readLimits(read), process: settings };
  });

type Providers = Pick<Config, 'openai' | 'local' | 'offline' | 'defaultProvider' | 'fullModel'>;

const readProviders = (read: EnvReader, environment: Environment): Providers => {
  const openai = readOpenai(read);
  const local = readLocal(read);
  const named = read.optional('WITAN_DEFAULT_PROVIDER');
  if (named) read.oneOf('WITAN_DEFAULT_PROVIDER', PROVIDERS, 'offline');
  if (named === 'anthropic') {
    read.fault('WITAN_DEFAULT_PROVIDER=anthropic is not built yet; use openai, local or offline');
  }
  const offline = environment === 'development' || named === 'offline';
  const configured = { openai: openai !== undefined, local: local !== undefined, offline };
  const order = ['openai', 'local', 'offline'] as const;
  const defaultProvider = order.find((name) => (named ? name === named : configured[name]));
  if (!defaultProvider || !configured[defaultProvider]) {
    read.fault(
      named
        ? `WITAN_DEFAULT_PROVIDER names ${named}, which is not configured`
        : 'no model provider is configured: set OPENAI_API_KEY, LOCAL_BASE_URL with ' +
            'LOCAL_MODEL, or WITAN_DEFAULT_PROVIDER=offline',
    );
  }
  const chosen = defaultProvider ?? 'offline';
  const fallback = chosen === 'local' ? (local?.model ?? '') : FULL_MODEL[chosen];
  const fullModel = read.text('WITAN_MODEL_FULL', fallback);
  return { openai, local, offline, defaultProvider: chosen, fullModel };
};

const readOpenai = (read: EnvReader): OpenaiSettings | undefined => {
  const apiKey = read.optional('OPENAI_API_KEY');
  const baseUrl = read.url('OPENAI_BASE_URL', ['https:', 'http:']);
  if (!apiKey && !baseUrl) return undefined;
  return {
    apiKey,
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    organization: read.optional('OPENAI_ORG_ID'),
    project: read.optional('OPENAI_PROJECT_ID'),
  };
};

const readLocal = (read: EnvReader): Config['local'] => {
  const baseUrl = read.url('LOCAL_BASE_URL', ['https:', 'http:']);
  const hosts = read.list('WITAN_LOCAL_HOSTS');
  if (!baseUrl) return undefined;
  return { baseUrl, model: read.text('LOCAL_MODEL'), hosts };
};

const readLimits = (
  read: EnvReader,
): Pick<Config, 'maxOutputTokens' | 'totalTimeoutMs' | 'timeouts'> => {
  const milliseconds = (name: string, fallback: number): number =>
    read.integer(name, { min: 100, max: HOUR_MS, fallback });
  return {
    maxOutputTokens: read.integer('GATEWAY_MAX_OUTPUT_TOKENS', {
      min: 1,
      max: 10_000_000,
      fallback: 16_000,
    }),
    totalTimeoutMs: milliseconds('WITAN_COMPLETION_TIMEOUT_MS', 600_000),
    timeouts: {
      connectMs: milliseconds('WITAN_PROVIDER_CONNECT_TIMEOUT_MS', 10_000),
      firstByteMs: milliseconds('WITAN_PROVIDER_FIRST_BYTE_TIMEOUT_MS', 300_000),
      idleMs: milliseconds('WITAN_PROVIDER_IDLE_TIMEOUT_MS', 120_000),
    },
  };
};

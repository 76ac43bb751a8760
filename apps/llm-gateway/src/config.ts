import { readEnv, readProcessConfig, readSecretsKey, readTargetPolicy } from '@witan/service-kit';
import type { Env, EnvReader, Environment, ProcessConfig, TargetPolicy } from '@witan/service-kit';
import { ANTHROPIC_BASE_URL } from './provider/clients/anthropic.ts';
import type { AnthropicSettings } from './provider/clients/anthropic.ts';
import type { ProviderTimeouts } from './provider/clients/http-provider.ts';
import { OFFLINE_MODEL } from './provider/clients/offline/offline-provider.ts';
import { OPENAI_BASE_URL, OPENAI_DIALECTS } from './provider/clients/openai.ts';
import type { OpenaiDialect, OpenaiSettings } from './provider/clients/openai.ts';

export type Config = {
  databaseUrl: string;
  /**
   * Base64 keys of 32 bytes that decrypt the workspaces' provider keys; the first also encrypts.
   */
  secretsKey: string;
  targets: TargetPolicy;
  openai: OpenaiSettings | undefined;
  anthropic: AnthropicSettings | undefined;
  local: { baseUrl: string; model: string; hosts: readonly string[] } | undefined;
  /**
   * Enables the offline provider: always in development, otherwise only if it is the default
   * provider.
   */
  offline: boolean;
  defaultProvider: OperatorProvider;
  /**
   * Default model for service-agent, and for all but simple requests that are routed by their
   * signals.
   */
  fullModel: string;
  /** Default model for simple requests that are routed by their signals. */
  cheapModel: string;
  /** Default model for the extractions of Witan's own services. */
  smallModel: string;
  maxOutputTokens: number;
  isMetered: boolean;
  totalTimeoutMs: number;
  timeouts: ProviderTimeouts;
  /** Starts the masking thread with the process instead of with the first long text. */
  isWarm: boolean;
};

const OPERATOR_PROVIDERS = ['openai', 'anthropic', 'local', 'offline'] as const;
type OperatorProvider = (typeof OPERATOR_PROVIDERS)[number];

const HOUR_MS = 3_600_000;
const MODELS = {
  openai: { full: 'gpt-5', cheap: 'gpt-5-mini' },
  anthropic: { full: 'claude-sonnet-5-5', cheap: 'claude-haiku-5-5' },
  offline: { full: OFFLINE_MODEL, cheap: OFFLINE_MODEL },
} as const;

/**
 * Reads the llm-gateway's configuration from the environment. Throws a ConfigError that lists every
 * error.
 */
export const loadConfig = (env: Env = process.env): Config & { process: ProcessConfig } =>
  readEnv('llm-gateway', env, (read) => {
    const settings = readProcessConfig(read, ['ledger']);
    return {
      databaseUrl: read.text('DATABASE_URL'),
      secretsKey: readSecretsKey(read),
      targets: readTargetPolicy(read, settings.environment),
      ...readProviders(read, settings.environment),
      ...readLimits(read),
      isWarm: settings.environment === 'production',
      process: settings,
    };
  });

type Providers = Pick<
  Config,
  | 'openai'
  | 'anthropic'
  | 'local'
  | 'offline'
  | 'defaultProvider'
  | 'fullModel'
  | 'cheapModel'
  | 'smallModel'
>;

const readProviders = (read: EnvReader, environment: Environment): Providers => {
  const openai = readOpenai(read);
  const anthropic = readAnthropic(read);
  const local = readLocal(read);
  const named = read.optional('WITAN_DEFAULT_PROVIDER');
  if (named) read.oneOf('WITAN_DEFAULT_PROVIDER', OPERATOR_PROVIDERS, 'offline');
  const offline = environment === 'development' || named === 'offline';
  const configured: Record<OperatorProvider, boolean> = {
    openai: openai !== undefined,
    anthropic: anthropic !== undefined,
    local: local !== undefined,
    offline,
  };
  const found = OPERATOR_PROVIDERS.find((name) => (named ? name === named : configured[name]));
  if (!found || !configured[found]) {
    read.addError(
      named
        ? `WITAN_DEFAULT_PROVIDER names ${named}, which is not configured`
        : 'no model provider is configured: set OPENAI_API_KEY, ANTHROPIC_API_KEY, ' +
            'LOCAL_BASE_URL with LOCAL_MODEL, or WITAN_DEFAULT_PROVIDER=offline',
    );
  }
  const defaultProvider = found ?? 'offline';
  const localModel = local?.model ?? '';
  const models =
    defaultProvider === 'local' ? { full: localModel, cheap: localModel } : MODELS[defaultProvider];
  const fullModel = read.text('WITAN_MODEL_FULL', models.full);
  // If only the full model is configured, it also serves simple requests, because the default cheap
  // model may not exist at that provider.
  const cheapDefault = read.optional('WITAN_MODEL_FULL') ? fullModel : models.cheap;
  const cheapModel = read.text('WITAN_MODEL_CHEAP', cheapDefault);
  const smallModel = read.text('WITAN_MODEL_SMALL', cheapModel);
  const operators = { openai, anthropic, local, offline };
  return { ...operators, defaultProvider, fullModel, cheapModel, smallModel };
};

const readAnthropic = (read: EnvReader): AnthropicSettings | undefined => {
  const apiKey = read.optional('ANTHROPIC_API_KEY') ?? read.optional('ANTHROPIC_AUTH_TOKEN');
  const baseUrl = read.url('ANTHROPIC_BASE_URL', ['https:', 'http:']);
  if (!apiKey && !baseUrl) return undefined;
  return { apiKey, baseUrl: baseUrl ?? ANTHROPIC_BASE_URL };
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
    dialects: readOpenaiDialects(read, { isOfficial: baseUrl === undefined }),
  };
};

/**
 * Returns the dialects of the `openai` provider, the main one first. By default OpenAI itself
 * speaks both, and another API speaks chat-completions only, because many have no other.
 */
const readOpenaiDialects = (
  read: EnvReader,
  { isOfficial }: { isOfficial: boolean },
): readonly OpenaiDialect[] => {
  const named = read.list('OPENAI_DIALECTS');
  if (named.length === 0) return isOfficial ? OPENAI_DIALECTS : ['chat-completions'];
  const known = OPENAI_DIALECTS.filter((dialect) => named.includes(dialect));
  if (known.length !== named.length) {
    read.addError(`OPENAI_DIALECTS must list ${OPENAI_DIALECTS.join(', ')}, or one of them`);
  }
  return known.toSorted((a, b) => named.indexOf(a) - named.indexOf(b));
};

const readLocal = (read: EnvReader): Config['local'] => {
  const baseUrl = read.url('LOCAL_BASE_URL', ['https:', 'http:']);
  const hosts = read.list('WITAN_LOCAL_HOSTS');
  if (!baseUrl) return undefined;
  return { baseUrl, model: read.text('LOCAL_MODEL'), hosts };
};

const readLimits = (
  read: EnvReader,
): Pick<Config, 'maxOutputTokens' | 'isMetered' | 'totalTimeoutMs' | 'timeouts'> => {
  const milliseconds = (name: string, fallback: number): number =>
    read.integer(name, { min: 100, max: HOUR_MS, fallback });
  return {
    maxOutputTokens: read.integer('GATEWAY_MAX_OUTPUT_TOKENS', {
      min: 1,
      max: 10_000_000,
      fallback: 16_000,
    }),
    isMetered: read.oneOf('METERING', ['unmetered', 'metered'], 'unmetered') === 'metered',
    totalTimeoutMs: milliseconds('WITAN_COMPLETION_TIMEOUT_MS', 600_000),
    timeouts: {
      connectMs: milliseconds('WITAN_PROVIDER_CONNECT_TIMEOUT_MS', 10_000),
      firstByteMs: milliseconds('WITAN_PROVIDER_FIRST_BYTE_TIMEOUT_MS', 300_000),
      idleMs: milliseconds('WITAN_PROVIDER_IDLE_TIMEOUT_MS', 120_000),
    },
  };
};

import { readFileSync } from 'node:fs';
import { OFFLINE_MODEL } from '@witan/contracts';
import { readEnv, readProcessConfig, readSecretsKey, readTargetPolicy } from '@witan/service-kit';
import type { Env, EnvReader, Environment, ProcessConfig, TargetPolicy } from '@witan/service-kit';
import { ANTHROPIC_BASE_URL } from './provider/clients/anthropic.ts';
import type { AnthropicSettings } from './provider/clients/anthropic.ts';
import type { ProviderTimeouts } from './provider/clients/http-provider.ts';
import { OPENAI_BASE_URL, OPENAI_DIALECTS } from './provider/clients/openai.ts';
import type { OpenaiDialect, OpenaiSettings } from './provider/clients/openai.ts';
import { parseProvidersFile } from './provider/parse-providers-file.ts';
import type { ListedProvider } from './provider/parse-providers-file.ts';

export type Config = {
  databaseUrl: string;
  /**
   * Base64 keys of 32 bytes that decrypt the workspaces' provider keys; the first also encrypts.
   */
  secretsKey: string;
  targets: TargetPolicy;
  openai: OpenaiSettings | undefined;
  anthropic: AnthropicSettings | undefined;
  local:
    | {
        baseUrl: string;
        model: string;
        embeddingModel: string | undefined;
        hosts: readonly string[];
      }
    | undefined;
  /** Providers of the providers file, in its order. */
  listed: readonly ListedProvider[];
  /**
   * Enables the offline provider: always in development, otherwise only if it is the default
   * provider.
   */
  offline: boolean;
  defaultProvider: string;
  /**
   * Default model for service-agent, and for all but simple requests that are routed by their
   * signals.
   */
  fullModel: string;
  /** Default model for simple requests that are routed by their signals. */
  cheapModel: string;
  /** Default model for the extractions of Witan's own services. */
  smallModel: string;
  /** Model for embeddings whose address names none; undefined if none is configured. */
  embeddingModel: string | undefined;
  maxOutputTokens: number;
  isMetered: boolean;
  totalTimeoutMs: number;
  timeouts: ProviderTimeouts;
  /** Starts the masking thread with the process instead of with the first long text. */
  isWarm: boolean;
};

const OFFLINE = 'offline';

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
      ...readProviders(read, env, settings.environment),
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
  | 'listed'
  | 'offline'
  | 'defaultProvider'
  | 'fullModel'
  | 'cheapModel'
  | 'smallModel'
  | 'embeddingModel'
>;

const readProviders = (read: EnvReader, env: Env, environment: Environment): Providers => {
  const openai = readOpenai(read);
  const anthropic = readAnthropic(read);
  const local = readLocal(read);
  const taken = [...(openai ? ['openai'] : []), ...(anthropic ? ['anthropic'] : [])];
  const listed = readProvidersFile(read, env, taken);
  const named = read.optional('WITAN_DEFAULT_PROVIDER');
  const offline = environment === 'development' || named === OFFLINE;
  const configured = [
    ...taken,
    ...(local ? ['local'] : []),
    ...listed.map(({ name }) => name),
    ...(offline ? [OFFLINE] : []),
  ];
  const found = configured.find((name) => (named ? name === named : true));
  if (!found) {
    read.addError(
      named
        ? `WITAN_DEFAULT_PROVIDER names ${named}, which is not configured`
        : 'no model provider is configured: set OPENAI_API_KEY, ANTHROPIC_API_KEY, ' +
            'LOCAL_BASE_URL with LOCAL_MODEL, WITAN_PROVIDERS_FILE, or ' +
            'WITAN_DEFAULT_PROVIDER=offline',
    );
  }
  const defaultProvider = found ?? OFFLINE;
  const models = defaultModelsOf(defaultProvider, { local, listed });
  // Without a default the variable is required.
  const fullModel = read.text('WITAN_MODEL_FULL', models?.full);
  // If only the full model is configured, it also serves simple requests, because the default cheap
  // model may not exist at that provider.
  const cheapDefault = read.optional('WITAN_MODEL_FULL') ? fullModel : (models?.cheap ?? '');
  const cheapModel = read.text('WITAN_MODEL_CHEAP', cheapDefault);
  const smallModel = read.text('WITAN_MODEL_SMALL', cheapModel);
  const embeddingModel =
    read.optional('WITAN_MODEL_EMBEDDING') ?? defaultEmbeddingModel({ openai, defaultProvider });
  const operators = { openai, anthropic, local, listed, offline };
  const defaults = { defaultProvider, fullModel, cheapModel, smallModel, embeddingModel };
  return { ...operators, ...defaults };
};

/**
 * Returns the default models of a provider. For one of the providers file that is its first model;
 * undefined if it lists none.
 */
const defaultModelsOf = (
  provider: string,
  { local, listed }: Pick<Providers, 'local' | 'listed'>,
): { full: string; cheap: string } | undefined => {
  const entry = listed.find(({ name }) => name === provider);
  if (!entry && Object.hasOwn(MODELS, provider)) return MODELS[provider as keyof typeof MODELS];
  const model = entry ? entry.models[0]?.name : (local?.model ?? '');
  return model === undefined ? undefined : { full: model, cheap: model };
};

const defaultEmbeddingModel = ({
  openai,
  defaultProvider,
}: Pick<Providers, 'openai' | 'defaultProvider'>): string | undefined => {
  if (openai) return 'text-embedding-3-small';
  return defaultProvider === OFFLINE ? OFFLINE_MODEL : undefined;
};

const PROVIDERS_FILE = 'WITAN_PROVIDERS_FILE';

const readProvidersFile = (
  read: EnvReader,
  env: Env,
  taken: readonly string[],
): ListedProvider[] => {
  const path = read.optional(PROVIDERS_FILE);
  if (path === undefined) return [];
  const addError = (error: string): void => read.addError(`${PROVIDERS_FILE} ${path}: ${error}`);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    addError(`cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
  return parseProvidersFile(text, { env, taken, addError });
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
  const dialects = readOpenaiDialects(read, { isOfficial: baseUrl === undefined });
  if (!apiKey && !baseUrl) return undefined;
  return {
    apiKey,
    baseUrl: baseUrl ?? OPENAI_BASE_URL,
    organization: read.optional('OPENAI_ORG_ID'),
    project: read.optional('OPENAI_PROJECT_ID'),
    dialects,
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
  const embeddingModel = read.optional('LOCAL_EMBEDDING_MODEL');
  return { baseUrl, model: read.text('LOCAL_MODEL'), embeddingModel, hosts };
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

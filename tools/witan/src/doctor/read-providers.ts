import { loadConfig } from '@witan/llm-gateway/config';
import { openOperatorProviders } from '@witan/llm-gateway/operator-providers';
import { ConfigError } from '@witan/service-kit';
import type { Env } from '@witan/service-kit';
import { assertValidUrl, withoutCredentials } from './check.ts';
import type { ProviderFacts } from './judge-provider.ts';

type Config = ReturnType<typeof loadConfig>;

export type Providers =
  | { errors: readonly string[] }
  | { offlineIsDefault: boolean; providers: readonly ProviderFacts[] };

const PROBE_TIMEOUT_MS = 10_000;
const SECRETS_KEY_BYTES = 32;

/**
 * Sends the listing call to each configured provider, as the llm-gateway does: with the configured
 * key, to the configured host only, without following redirects. Never rejects.
 */
export const readProviders = async (env: Env): Promise<Providers> => {
  const config = readConfig(env);
  if ('errors' in config) return config;
  const opened = openOperatorProviders(config);
  try {
    const providers = await Promise.all(
      opened.map(async ({ name, probe }): Promise<ProviderFacts> => {
        const described = describe(name, config);
        const call = async (): ReturnType<typeof probe> => {
          assertValidUrl(described.baseUrl);
          return await probe(AbortSignal.timeout(PROBE_TIMEOUT_MS));
        };
        const result = await call().catch((error: unknown) => ({ error }));
        return { ...described, receivedAtMs: Date.now(), result };
      }),
    );
    return { offlineIsDefault: config.defaultProvider === 'offline', providers };
  } finally {
    await Promise.all(opened.map(({ close }) => close()));
  }
};

/** Only the settings of providers are judged here, so the others are replaced by valid ones. */
const readConfig = (env: Env): Config | { errors: readonly string[] } => {
  const others = {
    DATABASE_URL: 'unused',
    WITAN_SECRETS_KEY: Buffer.alloc(SECRETS_KEY_BYTES).toString('base64'),
    WITAN_SERVICE_KEY_FILE: 'unused',
    WITAN_SERVICE_PUBLIC_KEYS: 'unused',
    LEDGER_ADDRESS: 'unused',
  };
  try {
    return loadConfig({ ...env, ...others });
  } catch (error) {
    if (error instanceof ConfigError) return { errors: error.errors };
    throw error;
  }
};

const describe = (name: string, config: Config): Omit<ProviderFacts, 'receivedAtMs' | 'result'> => {
  const { fullModel, cheapModel, smallModel } = config;
  const isDefault = config.defaultProvider === name;
  const entry = config.listed.find((one) => one.name === name);
  const settings = entry ?? (name === 'openai' ? config.openai : config.anthropic);
  const routed = isDefault ? [...new Set([fullModel, cheapModel, smallModel])] : [];
  const models = entry ? entry.models.map((model) => model.name) : routed;
  return {
    name,
    baseUrl: withoutCredentials((name === 'local' ? config.local : settings)!.baseUrl),
    hasKey: name !== 'local' && Boolean(settings?.apiKey),
    models: name === 'local' ? [config.local!.model] : models,
  };
};

import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, HttpProviderOptions } from './http-provider.ts';

/** The environment of the official SDK, read as it reads it. */
export type AnthropicSettings = {
  /** Absent: calls carry no credentials (a proxy may add them). */
  apiKey: string | undefined;
  /** Without the version: `/v1` is part of every path. */
  baseUrl: string;
};

/** The official SDK's default base URL. */
export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** For calls whose client named none: the version that still knows sampling parameters. */
const OWN_VERSION = '2023-06-01';
/** From here on keys travel as bearer tokens, as the official SDK 1.x sends them. */
const BEARER_VERSION = '2026-10-21';

/**
 * Anthropic, or what speaks like it. The client's version and beta headers go along, since they
 * decide what its body means; credentials are ours, in the form that belongs to the version.
 */
export const createAnthropic = (
  settings: AnthropicSettings,
  options: Pick<HttpProviderOptions, 'timeouts' | 'connect'> & { name?: string },
): ClosableProvider =>
  createHttpProvider({
    name: 'anthropic',
    ...options,
    dialect: 'messages',
    baseUrl: settings.baseUrl,
    paths: {
      complete: '/v1/messages',
      countTokens: '/v1/messages/count_tokens',
      models: '/v1/models',
      // The list comes in pages, of 20 unless more are asked for.
      modelsQuery: 'limit=1000',
    },
    headersFor: (client) => {
      const version = client['anthropic-version'] ?? OWN_VERSION;
      return {
        ...client,
        accept: 'application/json',
        'user-agent': 'Witan/0.1',
        'anthropic-version': version,
        ...credentials(settings.apiKey, version),
      };
    },
  });

const credentials = (apiKey: string | undefined, version: string): Record<string, string> => {
  if (!apiKey) return {};
  return version >= BEARER_VERSION
    ? { authorization: `Bearer ${apiKey}` }
    : { 'x-api-key': apiKey };
};

import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, HttpProviderOptions } from './http-provider.ts';

export type AnthropicSettings = {
  /** Without a key, calls carry no credentials; a proxy may add them. */
  apiKey: string | undefined;
  /** URL without the API version, because every path begins with `/v1`. */
  baseUrl: string;
};

export const ANTHROPIC_BASE_URL = 'https://api.anthropic.com';

/** Version for clients that send none: the last one that accepts sampling parameters. */
export const ANTHROPIC_VERSION = '2023-06-01';
/** First API version that accepts bearer tokens, which the official SDK 1.x sends. */
const BEARER_VERSION = '2026-10-21';

/**
 * Creates the provider for Anthropic and compatible APIs. The client's version and beta headers are
 * forwarded, because they decide the meaning of its body; the credentials are ours, in the form
 * that the version requires.
 */
export const createAnthropic = (
  settings: AnthropicSettings,
  options: Pick<HttpProviderOptions, 'timeouts' | 'connect'> & { name?: string },
): ClosableProvider =>
  createHttpProvider({
    name: 'anthropic',
    ...options,
    dialects: ['messages'],
    baseUrl: settings.baseUrl,
    paths: {
      complete: { messages: '/v1/messages' },
      models: '/v1/models',
      // The list is paginated, with 20 models per page by default, so the largest page is
      // requested.
      modelsQuery: 'limit=1000',
    },
    headers: { accept: 'application/json', 'user-agent': 'Witan/0.1' },
    headersFor: (client) => {
      const version = client['anthropic-version'] ?? ANTHROPIC_VERSION;
      return {
        ...client,
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

import type { EndpointName } from '@witan/dialects';
import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, HttpProviderOptions } from './http-provider.ts';

export type OpenaiSettings = {
  /** Without a key, calls carry no Authorization header; a proxy may add it. */
  apiKey: string | undefined;
  baseUrl: string;
  organization: string | undefined;
  project: string | undefined;
};

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

export const OPENAI_DIALECTS: readonly EndpointName[] = ['chat-completions', 'embeddings'];
export const OPENAI_PATHS = {
  'chat-completions': '/chat/completions',
  embeddings: '/embeddings',
} as const;

/** Creates the provider for OpenAI and compatible APIs; the base URL ends in the API version. */
export const createOpenai = (
  settings: OpenaiSettings,
  options: Pick<HttpProviderOptions, 'timeouts' | 'connect'> & { name?: string },
): ClosableProvider => {
  const headers = {
    accept: 'application/json',
    'user-agent': 'Witan/0.1',
    ...(settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : {}),
    ...(settings.organization ? { 'openai-organization': settings.organization } : {}),
    ...(settings.project ? { 'openai-project': settings.project } : {}),
  };
  return createHttpProvider({
    name: 'openai',
    ...options,
    dialects: OPENAI_DIALECTS,
    baseUrl: settings.baseUrl,
    paths: { complete: OPENAI_PATHS, models: '/models' },
    headersFor: (client) => ({ ...client, ...headers }),
  });
};

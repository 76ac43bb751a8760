import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, HttpProviderOptions } from './http-provider.ts';

export type OpenaiSettings = {
  /** Without a key, calls carry no Authorization header; a proxy may add it. */
  apiKey: string | undefined;
  baseUrl: string;
  organization: string | undefined;
  project: string | undefined;
  /** Dialects of conversations, the main one first; chat-completions if absent. */
  dialects?: readonly OpenaiDialect[] | undefined;
};

export const OPENAI_DIALECTS = ['chat-completions', 'responses'] as const;
export type OpenaiDialect = (typeof OPENAI_DIALECTS)[number];

export const OPENAI_PATHS = {
  'chat-completions': '/chat/completions',
  responses: '/responses',
  embeddings: '/embeddings',
} as const;

export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** Creates the provider for OpenAI and compatible APIs; the base URL ends in the API version. */
export const createOpenai = (
  settings: OpenaiSettings,
  options: Pick<HttpProviderOptions, 'timeouts' | 'connect'> & { name?: string },
): ClosableProvider => {
  const { dialects = ['chat-completions'] } = settings;
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
    dialects: [...dialects, 'embeddings'],
    baseUrl: settings.baseUrl,
    paths: { complete: OPENAI_PATHS, models: '/models' },
    headers,
  });
};

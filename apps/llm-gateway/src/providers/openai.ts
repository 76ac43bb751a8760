import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, HttpProviderOptions } from './http-provider.ts';

/** The environment of the official SDK, read as it reads it. */
export type OpenaiSettings = {
  /** Absent: calls carry no Authorization (a proxy may add it). */
  apiKey: string | undefined;
  baseUrl: string;
  organization: string | undefined;
  project: string | undefined;
};

/** The official SDK's default base URL. */
export const OPENAI_BASE_URL = 'https://api.openai.com/v1';

/** OpenAI, or what speaks like it: chat-completions below a base URL that ends in the version. */
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
    dialect: 'chat-completions',
    baseUrl: settings.baseUrl,
    paths: { complete: '/chat/completions', models: '/models' },
    headersFor: (client) => ({ ...client, ...headers }),
  });
};

import type { Provider } from '../domain/completion/ports.ts';
import { createHttpProvider } from './http-provider.ts';
import type { ProviderTimeouts } from './http-provider.ts';

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

/** OpenAI, or what speaks like it at OPENAI_BASE_URL. */
export const createOpenai = (
  settings: OpenaiSettings,
  timeouts: ProviderTimeouts,
): Provider & { close: () => Promise<void> } =>
  createHttpProvider({
    name: 'openai',
    baseUrl: settings.baseUrl,
    headers: {
      accept: 'application/json',
      'user-agent': 'Witan/0.1',
      ...(settings.apiKey ? { authorization: `Bearer ${settings.apiKey}` } : {}),
      ...(settings.organization ? { 'openai-organization': settings.organization } : {}),
      ...(settings.project ? { 'openai-project': settings.project } : {}),
    },
    timeouts,
  });

import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import { createLocalConnector } from './local-connector.ts';

const HEADERS = { accept: 'application/json', 'user-agent': 'Witan/0.1' };

/**
 * Creates the provider for an OpenAI-compatible runtime on this machine, such as Ollama or
 * llama.cpp.
 */
export const createLocal = (
  settings: { baseUrl: string; hosts: readonly string[] },
  timeouts: ProviderTimeouts,
): ClosableProvider =>
  createHttpProvider({
    name: 'local',
    dialect: 'chat-completions',
    baseUrl: settings.baseUrl,
    paths: { complete: '/chat/completions', models: '/models' },
    headersFor: () => HEADERS,
    timeouts,
    connect: createLocalConnector({ hosts: settings.hosts, timeoutMs: timeouts.connectMs }),
  });

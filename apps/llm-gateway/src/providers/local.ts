import type { Provider } from '../domain/completion/ports.ts';
import { createHttpProvider } from './http-provider.ts';
import type { ProviderTimeouts } from './http-provider.ts';
import { createLocalConnector } from './local-connector.ts';

/** An OpenAI-compatible runtime on this machine, such as Ollama or llama.cpp. */
export const createLocal = (
  settings: { baseUrl: string; hosts: readonly string[] },
  timeouts: ProviderTimeouts,
): Provider & { close: () => Promise<void> } =>
  createHttpProvider({
    name: 'local',
    baseUrl: settings.baseUrl,
    headers: { accept: 'application/json', 'user-agent': 'Witan/0.1' },
    timeouts,
    connect: createLocalConnector({ hosts: settings.hosts, timeoutMs: timeouts.connectMs }),
  });

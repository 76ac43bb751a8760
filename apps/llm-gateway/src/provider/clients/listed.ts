import type { EndpointName } from '@witan/dialects';
import type { KeyHeader, ListedProvider } from '../parse-providers-file.ts';
import { ANTHROPIC_VERSION } from './anthropic.ts';
import { createHttpProvider } from './http-provider.ts';
import type { ClosableProvider, ProviderTimeouts } from './http-provider.ts';
import { OPENAI_PATHS } from './openai.ts';

const PATHS: Readonly<Record<EndpointName, string>> = { ...OPENAI_PATHS, messages: '/messages' };

/**
 * Creates a provider of the providers file. Its models are those of the file, so it is not asked
 * for them.
 */
export const createListed = (
  settings: ListedProvider,
  timeouts: ProviderTimeouts,
): ClosableProvider => {
  const { name, dialects, baseUrl, adaptation } = settings;
  const headers = {
    accept: 'application/json',
    'user-agent': 'Witan/0.1',
    ...toCredentials(settings),
  };
  const provider = createHttpProvider({
    name,
    dialects,
    baseUrl,
    paths: {
      complete: PATHS,
      models: '/models',
    },
    headers,
    headersFor: (client, dialect) =>
      dialect === 'messages' ? { 'anthropic-version': ANTHROPIC_VERSION, ...client } : client,
    timeouts,
  });
  const models = settings.models.map((model) => model.name);
  return { ...provider, adaptation, listModels: async () => models };
};

const toCredentials = ({
  apiKey,
  keyHeader,
}: {
  apiKey: string | undefined;
  keyHeader: KeyHeader;
}): Record<string, string> => {
  if (apiKey === undefined) return {};
  return { [keyHeader]: keyHeader === 'authorization' ? `Bearer ${apiKey}` : apiKey };
};

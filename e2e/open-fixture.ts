import { openScriptedProvider, openTestSystem } from '@witan/testing';
import type {
  RecordedRequest,
  Script,
  ScriptedProvider,
  TestSystem,
  TestSystemOptions,
} from '@witan/testing';
import { createHttpClient } from './http-client.ts';
import type { HttpClient } from './http-client.ts';

/** Transports between the services. Most tests of this folder run over both. */
export const TRANSPORTS = ['in-process', 'grpc'] as const;

/** The gateway's credential for its providers, which must appear nowhere else. */
export const PROVIDER_KEY = 'sk-provider-credential-3f9c1e';

/** A complete system between a client and a scripted provider. */
export type Fixture = AsyncDisposable & {
  system: TestSystem;
  provider: ScriptedProvider;
  client: HttpClient;
  /** Returns the completion requests to the provider, without requests for lists of models. */
  calls: () => RecordedRequest[];
};

/** Options of a system; `fallback` answers calls for which no script is set. */
export type FixtureOptions = TestSystemOptions & { fallback?: Script };

/** Starts a system that uses the scripted provider as OpenAI and as Anthropic. */
export const openFixture = async ({ fallback, ...options }: FixtureOptions): Promise<Fixture> => {
  const provider = await openScriptedProvider(fallback ? { fallback } : {});
  const env = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: provider.anthropicBaseUrl,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ...options.env,
  };
  const system = await openTestSystem({ ...options, env });
  return {
    system,
    provider,
    client: createHttpClient(system),
    calls: () => provider.requests.filter(({ method }) => method === 'POST'),
    [Symbol.asyncDispose]: async () => {
      // The provider closes first: a hanging call would block the system's shutdown.
      await provider[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
    },
  };
};

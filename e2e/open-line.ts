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

/** Every test of this folder runs over both: services must not know how they are called. */
export const TRANSPORTS = ['in-process', 'grpc'] as const;

/** The key that the gateway calls its provider with; it must never be seen anywhere else. */
export const PROVIDER_KEY = 'sk-provider-credential-3f9c1e';

/** A whole system between a client and a scripted provider. */
export type Line = AsyncDisposable & {
  system: TestSystem;
  provider: ScriptedProvider;
  client: HttpClient;
  /** The completions that the provider was asked for; lists of models are left out. */
  calls: () => RecordedRequest[];
};

/** `fallback`: what the provider does with calls for which nothing was scripted. */
export type LineOptions = TestSystemOptions & { fallback?: Script };

/** Brings up a system that calls a scripted provider as if it were OpenAI, and Anthropic too. */
export const openLine = async ({ fallback, ...options }: LineOptions): Promise<Line> => {
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
      // The provider first: a call that hangs there would keep the system from stopping.
      await provider[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
    },
  };
};

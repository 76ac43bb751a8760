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

/**
 * How the services are connected to each other. Most test files run their tests over both
 * transports.
 */
export const TRANSPORTS = ['in-process', 'grpc'] as const;

/** The gateway's API key for its providers; it must appear only in requests to them. */
export const PROVIDER_KEY = 'sk-provider-credential-3f9c1e';

/** A complete system, a client of it, and the scripted provider that it calls. */
export type Fixture = AsyncDisposable & {
  system: TestSystem;
  provider: ScriptedProvider;
  client: HttpClient;
  /** Returns the requests to the provider, except those for its list of models. */
  calls: () => RecordedRequest[];
};

/**
 * Options of the system. `fallback` answers provider calls for which no script is set. With
 * `isAllowedTarget` a workspace may configure the scripted provider as one of its own.
 */
export type FixtureOptions = TestSystemOptions & { fallback?: Script; isAllowedTarget?: true };

/** Starts a system that uses one scripted provider both as OpenAI and as Anthropic. */
export const openFixture = async ({
  fallback,
  isAllowedTarget,
  ...options
}: FixtureOptions): Promise<Fixture> => {
  const provider = await openScriptedProvider(fallback ? { fallback } : {});
  const env = {
    OPENAI_BASE_URL: provider.baseUrl,
    OPENAI_API_KEY: PROVIDER_KEY,
    ANTHROPIC_BASE_URL: provider.anthropicBaseUrl,
    ANTHROPIC_API_KEY: PROVIDER_KEY,
    ...(isAllowedTarget && { WITAN_ALLOW_PRIVATE_TARGETS: `127.0.0.1:${provider.port}` }),
    ...options.env,
  };
  const system = await openTestSystem({ ...options, env });
  return {
    system,
    provider,
    client: createHttpClient(system),
    calls: () => provider.requests.filter(({ method }) => method === 'POST'),
    [Symbol.asyncDispose]: async () => {
      // The provider is closed first, because a call that hangs at it would delay the system's
      // shutdown.
      await provider[Symbol.asyncDispose]();
      await system[Symbol.asyncDispose]();
    },
  };
};

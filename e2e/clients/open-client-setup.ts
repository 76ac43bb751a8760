import { parsePublicKeys } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import type { RecordedRequest, Script } from '@witan/testing';
import { openFixture, PROVIDER_KEY } from '../open-fixture.ts';
import type { Fixture, TRANSPORTS } from '../open-fixture.ts';
import { OWN_VENDOR } from './pairings.ts';
import type { Pairing } from './pairings.ts';
import { createFetchRecorder } from './create-fetch-recorder.ts';
import type { FetchRecorder, RecordedExchange } from './create-fetch-recorder.ts';
import type { TestClient } from './test-client.ts';

/**
 * A running system with scripted vendors, and clients whose HTTP exchanges with it are recorded.
 */
export type ClientSetup = AsyncDisposable & {
  fixture: Fixture;
  recorder: FetchRecorder;
  keys: PublicKeys;
  clientOf: (pairing: Pick<Pairing, 'kind'>, options?: { maxRetries?: number }) => TestClient;
  /** Sets the next responses of the vendors, one per call. */
  script: (...scripts: readonly Script[]) => void;
  lastCall: () => RecordedExchange;
  lastRequest: () => RecordedRequest;
};

/** Above the default `max_tokens` of every client, so that the gateway lowers none. */
const GATEWAY_MAX_OUTPUT_TOKENS = '32000';

/** Adds the scripted provider as a provider of the workspace, in its own dialect. */
const addOwnVendor = async ({ client, provider }: Fixture): Promise<void> => {
  const { provider: name, dialect, model } = OWN_VENDOR;
  const own = { name, dialect, baseUrl: provider.baseUrl, apiKey: PROVIDER_KEY };
  const targets = [{ provider: name, model }];
  for (const [path, method, body] of [
    ['/v1/workspace/providers', 'PUT', { providers: [own] }],
    ['/v1/workspace', 'PUT', { aliases: { [model]: { targets } } }],
  ] as const) {
    const { status, text } = await client.send(path, { method, body });
    if (status !== 200) throw new Error(`${method} ${path} failed: ${text}`);
  }
};

export const openClientSetup = async (
  transport: (typeof TRANSPORTS)[number],
): Promise<ClientSetup> => {
  const env = { GATEWAY_MAX_OUTPUT_TOKENS };
  const fixture = await openFixture({ transport, env, isAllowedTarget: true });
  await addOwnVendor(fixture);
  const recorder = createFetchRecorder();
  const keyFile = await fixture.client.send('/v1/gateway/public-key', { headers: {} });
  const { baseUrl: origin, apiKey } = fixture.system;
  return {
    fixture,
    recorder,
    keys: parsePublicKeys(keyFile.text),
    clientOf: ({ kind }, options) =>
      kind.create({ origin, apiKey, fetch: recorder.fetch, ...options }),
    script: (...scripts) => {
      for (const one of scripts) fixture.provider.script(one);
    },
    lastCall: () => recorder.calls.at(-1)!,
    lastRequest: () => fixture.calls().at(-1)!,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};

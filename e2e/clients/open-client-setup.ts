import { parsePublicKeys } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import type { RecordedRequest, Script } from '@witan/testing';
import { openFixture } from '../open-fixture.ts';
import type { Fixture, TRANSPORTS } from '../open-fixture.ts';
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

export const openClientSetup = async (
  transport: (typeof TRANSPORTS)[number],
): Promise<ClientSetup> => {
  const fixture = await openFixture({ transport, env: { GATEWAY_MAX_OUTPUT_TOKENS } });
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

import { parsePublicKeys } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import type { RecordedRequest, Script } from '@witan/testing';
import { openFixture } from '../open-fixture.ts';
import type { Fixture, TRANSPORTS } from '../open-fixture.ts';
import type { Lane } from './lanes.ts';
import { openWire } from './open-wire.ts';
import type { Wire, WireCall } from './open-wire.ts';
import type { TestClient } from './test-client.ts';

/**
 * A running system with scripted vendors, and clients whose HTTP exchanges with it are recorded.
 */
export type Bench = AsyncDisposable & {
  fixture: Fixture;
  wire: Wire;
  keys: PublicKeys;
  clientOf: (lane: Pick<Lane, 'kind'>, options?: { maxRetries?: number }) => TestClient;
  /** Sets the next responses of the vendors, one per call. */
  script: (...scripts: readonly Script[]) => void;
  lastCall: () => WireCall;
  lastRequest: () => RecordedRequest;
};

/** Above the default `max_tokens` of every client, so that the gateway lowers no request. */
const GATEWAY_MAX_OUTPUT_TOKENS = '32000';

export const openBench = async (transport: (typeof TRANSPORTS)[number]): Promise<Bench> => {
  const fixture = await openFixture({ transport, env: { GATEWAY_MAX_OUTPUT_TOKENS } });
  const wire = openWire();
  const keyFile = await fixture.client.send('/v1/gateway/public-key', { headers: {} });
  const { baseUrl: origin, apiKey } = fixture.system;
  return {
    fixture,
    wire,
    keys: parsePublicKeys(keyFile.text),
    clientOf: ({ kind }, options) => kind.create({ origin, apiKey, fetch: wire.fetch, ...options }),
    script: (...scripts) => {
      for (const one of scripts) fixture.provider.script(one);
    },
    lastCall: () => wire.calls.at(-1)!,
    lastRequest: () => fixture.calls().at(-1)!,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
};

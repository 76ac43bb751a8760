import { parsePublicKeys } from '@witan/proof';
import type { PublicKeys } from '@witan/proof';
import type { RecordedRequest, Script } from '@witan/testing';
import { openLine } from '../open-line.ts';
import type { Line, TRANSPORTS } from '../open-line.ts';
import type { Lane } from './lanes.ts';
import { openWire } from './open-wire.ts';
import type { Wire, WireCall } from './open-wire.ts';
import type { TestClient } from './test-client.ts';

/** A line that stands for both vendors, and clients that are watched. */
export type Bench = AsyncDisposable & {
  line: Line;
  wire: Wire;
  /** What the gateway's certificates are verified with. */
  keys: PublicKeys;
  /** A client of the gateway; its calls go over `wire`. */
  clientOf: (lane: Pick<Lane, 'kind'>, options?: { maxRetries?: number }) => TestClient;
  /** Scripts the next answers, one a call. */
  script: (...scripts: readonly Script[]) => void;
  /** The last exchange of a client. */
  lastCall: () => WireCall;
  /** The last request that the provider saw. */
  lastRequest: () => RecordedRequest;
};

/** Above what any client asks for unasked, so that nobody's limit is clamped. */
const GATEWAY_MAX_OUTPUT_TOKENS = '32000';

/** Brings up a system between real clients and a provider that speaks both dialects. */
export const openBench = async (transport: (typeof TRANSPORTS)[number]): Promise<Bench> => {
  const line = await openLine({ transport, env: { GATEWAY_MAX_OUTPUT_TOKENS } });
  const wire = openWire();
  const keyFile = await line.client.send('/v1/gateway/public-key', { headers: {} });
  const { baseUrl: origin, apiKey } = line.system;
  return {
    line,
    wire,
    keys: parsePublicKeys(keyFile.text),
    clientOf: ({ kind }, options) => kind.create({ origin, apiKey, fetch: wire.fetch, ...options }),
    script: (...scripts) => {
      for (const one of scripts) line.provider.script(one);
    },
    lastCall: () => wire.calls.at(-1)!,
    lastRequest: () => line.calls().at(-1)!,
    [Symbol.asyncDispose]: () => line[Symbol.asyncDispose](),
  };
};

/** One exchange between a client and the gateway, as it went over the wire. */
export type WireCall = {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** The body as it was sent; empty when there was none. */
  readonly sent: string;
  readonly status: number;
  readonly headers: Headers;
  /** What has come of the answer, byte for byte. */
  readonly bytes: () => Buffer;
  /** Resolves once nothing more will come, whoever ended it. */
  readonly ended: Promise<void>;
};

/** What a client is given as its `fetch`, and what it did with it. */
export type Wire = {
  readonly fetch: typeof fetch;
  /** Exchanges whose status has come, in that order. */
  readonly calls: readonly WireCall[];
};

/** A `fetch` that does what the runtime's does and remembers what went both ways. */
export const openWire = (): Wire => {
  const calls: WireCall[] = [];
  const recording: typeof fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const response = await fetch(input, init);
    const parts: Uint8Array[] = [];
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
      transform: (part, controller) => {
        parts.push(part.slice());
        controller.enqueue(part);
      },
    });
    const { status, headers } = response;
    calls.push({
      method: init?.method ?? 'GET',
      path: `${url.pathname}${url.search}`,
      // All clients serialise their bodies themselves.
      sent: typeof init?.body === 'string' ? init.body : '',
      status,
      headers,
      bytes: () => Buffer.concat(parts),
      ended,
    });
    if (!response.body) {
      end();
      return response;
    }
    // Rejects when either side breaks off, which the client hears of from its own side.
    response.body.pipeTo(writable).then(end, end);
    return new Response(readable, response);
  };
  return { fetch: recording, calls };
};

export type WireCall = {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The request body; empty if there is none. */
  readonly sent: string;
  readonly status: number;
  readonly headers: Headers;
  /** The response bytes received so far. */
  readonly bytes: () => Buffer;
  /** Resolves when the response has ended or was aborted by either side. */
  readonly ended: Promise<void>;
};

/** A `fetch` for clients that records every exchange. */
export type Wire = {
  readonly fetch: typeof fetch;
  /** The exchanges in the order in which their responses began. */
  readonly calls: readonly WireCall[];
};

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
      // All clients serialize their bodies to strings themselves.
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
    // The stream rejects on an abort by either side, which the client reports itself.
    response.body.pipeTo(writable).then(end, end);
    return new Response(readable, response);
  };
  return { fetch: recording, calls };
};

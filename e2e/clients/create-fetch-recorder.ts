export type RecordedExchange = {
  readonly method: string;
  /** The path, including the query. */
  readonly path: string;
  /** The request body if it is a string, otherwise an empty string. */
  readonly requestBody: string;
  readonly status: number;
  readonly headers: Headers;
  /** Returns the response bytes received so far. */
  readonly bytes: () => Buffer;
  /** Resolves when the response has ended or was aborted by either side. */
  readonly ended: Promise<void>;
};

/** A `fetch` that records every call with a response, to be passed to client libraries. */
export type FetchRecorder = {
  readonly fetch: typeof fetch;
  /** The exchanges in the order in which their responses began. */
  readonly calls: readonly RecordedExchange[];
};

export const createFetchRecorder = (): FetchRecorder => {
  const calls: RecordedExchange[] = [];
  const recordingFetch: typeof fetch = async (input, init) => {
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
      // All tested clients pass their bodies as strings.
      requestBody: typeof init?.body === 'string' ? init.body : '',
      status,
      headers,
      bytes: () => Buffer.concat(parts),
      ended,
    });
    if (!response.body) {
      end();
      return response;
    }
    // `pipeTo` rejects if either side aborts. The client reports such an error itself, so it is
    // ignored here.
    response.body.pipeTo(writable).then(end, end);
    return new Response(readable, response);
  };
  return { fetch: recordingFetch, calls };
};

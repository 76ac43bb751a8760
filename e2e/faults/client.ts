export type ClientOf = { baseUrl: string; apiKey: string };

/** The response to a call; status 0 if the connection broke or nothing arrived. */
export type CallResponse = { status: number; text: string };

export type Client = {
  send: (method: string, path: string, body?: object) => Promise<CallResponse>;
  /** Returns the parsed response. Throws unless the call succeeds. */
  read: <T>(method: string, path: string, body?: object) => Promise<T>;
  /** Returns an empty string after a complete response, otherwise the error. */
  call: (method: string, path: string, body?: object) => Promise<string>;
  /**
   * Makes a call that responds with server-sent events. Returns an empty string if the last event
   * ends the stream properly, otherwise the error.
   */
  stream: (path: string, body: object) => Promise<string>;
};

/** Exceeds any undisturbed call on a busy machine. */
const PATIENCE_MS = 60_000;
const LAST_EVENT = /^event: (?:done|completed)$/m;

export const openClient = (
  { baseUrl, apiKey }: ClientOf,
  patienceMs: number = PATIENCE_MS,
): Client => {
  const send = async (
    method: string,
    path: string,
    body?: object,
    accept = 'application/json',
  ): Promise<CallResponse> => {
    try {
      const response = await fetch(`${baseUrl}/v1${path}`, {
        method,
        headers: { accept, 'x-api-key': apiKey, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(patienceMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: describe(error) };
    }
  };
  return {
    send,
    read: async <T>(method: string, path: string, body?: object) => {
      const { status, text } = await send(method, path, body);
      if (!isGood(status)) throw new Error(`${method} /v1${path}: ${status} ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
    call: async (method, path, body) => {
      const { status, text } = await send(method, path, body);
      return isGood(status) ? '' : `${status} ${text}`;
    },
    stream: async (path, body) => {
      const { status, text } = await send('POST', path, body, 'text/event-stream');
      const last = text.trimEnd().split('\n\n').at(-1)!;
      return isGood(status) && LAST_EVENT.test(last) ? '' : `${status} ${last}`;
    },
  };
};

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Describes an error with its cause, which contains the reason of `fetch failed`. */
const describe = (error: unknown): string =>
  Error.isError(error) && Error.isError(error.cause)
    ? `${error.message}: ${error.cause.message}`
    : String(error);

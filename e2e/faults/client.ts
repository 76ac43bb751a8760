export type ClientOf = { baseUrl: string; apiKey: string };

/** The response to a call; status 0 if there was none or the connection broke. */
export type CallResponse = { status: number; text: string };

export type Client = {
  send: (method: string, path: string, body?: object) => Promise<CallResponse>;
  /** Returns the parsed JSON of the response. Throws unless the status is 2xx. */
  read: <T>(method: string, path: string, body?: object) => Promise<T>;
  /** Returns an empty string after a 2xx response, otherwise status and text of the error. */
  call: (method: string, path: string, body?: object) => Promise<string>;
  /**
   * Makes a call that responds with server-sent events. Returns an empty string if the last event
   * is `done` or `completed`, otherwise the error.
   */
  stream: (path: string, body: object) => Promise<string>;
};

/**
 * Timeout of a call, in milliseconds; longer than any call without faults takes on a busy machine.
 */
const TIMEOUT_MS = 60_000;
const LAST_EVENT = /^event: (?:done|completed)$/m;

export const openClient = (
  { baseUrl, apiKey }: ClientOf,
  timeoutMs: number = TIMEOUT_MS,
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
        signal: AbortSignal.timeout(timeoutMs),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: describeError(error) };
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

/**
 * Returns the message of an error with that of its cause, because `fetch failed` alone does not
 * name the reason.
 */
export const describeError = (error: unknown): string =>
  Error.isError(error) && Error.isError(error.cause)
    ? `${error.message}: ${error.cause.message}`
    : String(error);

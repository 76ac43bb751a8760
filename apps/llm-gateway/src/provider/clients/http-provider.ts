import { isServiceError, ServiceError } from '@witan/contracts';
import { parseObject } from '@witan/dialects';
import type { EndpointName, JsonObject } from '@witan/dialects';
import { Agent, buildConnector } from 'undici';
import type { Dispatcher } from 'undici';
import { readBody } from '../provider.ts';
import type {
  AnswerBody,
  BodyReader,
  Provider,
  ProviderAnswer,
  ProviderRequest,
  Stop,
} from '../provider.ts';

export type HttpProviderOptions = {
  name: string;
  dialects: readonly EndpointName[];
  /** Base URL as the dialect's official SDK takes it; its query is appended to every path. */
  baseUrl: string;
  paths: {
    /** Path of calls in each dialect that the provider speaks. */
    complete: Readonly<Partial<Record<EndpointName, string>>>;
    models: string;
    modelsQuery?: string;
  };
  /** Headers of each call; they replace the client's of the same names. */
  headers: Readonly<Record<string, string>>;
  /** Returns the headers of a call, for a provider whose headers depend on the client's. */
  headersFor?: (
    client: Readonly<Record<string, string>>,
    dialect: EndpointName,
  ) => Readonly<Record<string, string>>;
  timeouts: ProviderTimeouts;
  connect?: buildConnector.connector;
};

export type ClosableProvider = Provider & {
  /** Makes the call of `listModels`, for diagnosis: an error status is a value. */
  probe: (signal: AbortSignal) => Promise<ProviderProbe>;
  /**
   * Reads a JSON object from a path of the provider's host, by POST if there is a body; undefined
   * for an error status and for anything else.
   */
  readJson: (
    path: string,
    call: { signal: AbortSignal; body?: object },
  ) => Promise<JsonObject | undefined>;
  close: () => Promise<void>;
  /** Refuses new calls; closes connections once running calls have ended. */
  retire: () => void;
};

export type ProviderProbe = {
  status: number;
  /** Header `date` of the response. */
  date: string | undefined;
  /** Undefined if the response is not a list of models. */
  models: readonly string[] | undefined;
};

export type ProviderTimeouts = { connectMs: number; firstByteMs: number; idleMs: number };

/** Limit of sockets to one provider; further calls are queued. */
const CONNECTIONS_MAX = 1_024;
/** Age in milliseconds from which a connection whose address was checked takes no new calls. */
const GUARDED_TIMEOUT_MAX_MS = 30_000;
const MODELS_BYTES_MAX = 4 * 1024 * 1024;

/** Creates a provider over HTTP. It never retries, because clients do. */
export const createHttpProvider = (options: HttpProviderOptions): ClosableProvider => {
  const { name, dialects, paths } = options;
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    headersTimeout: options.timeouts.firstByteMs,
    bodyTimeout: options.timeouts.idleMs,
    // One call at a time per connection, so that a lost connection fails only one call.
    allowH2: false,
    connect: createConnector(options),
    // Retires checked connections after this time, so that the host is resolved and checked again.
    ...(options.connect ? { clientTtl: GUARDED_TIMEOUT_MAX_MS } : {}),
  });
  const locate = createLocator(options.baseUrl);
  const post = async (path: string, call: ProviderRequest): Promise<ProviderAnswer> => {
    const { body, stop, query, dialect } = call;
    const client = withoutCredentials(call.headers);
    const headers = { ...headersOf(options, client, dialect), ...JSON_TYPE };
    return await send(agent, { ...locate(path, query), method: 'POST', headers, body, stop });
  };
  const probe = async (signal: AbortSignal): Promise<ProviderProbe> => {
    const target = locate(paths.models, paths.modelsQuery ?? '');
    const call = {
      ...target,
      method: 'GET' as const,
      headers: headersOf(options, {}, dialects[0]!),
    };
    const { body, status, headers } = await send(agent, { ...call, stop: stopWith(signal) });
    const bytes = await readBody(body, MODELS_BYTES_MAX);
    return { status, date: headers['date'], models: toModelIds(bytes) };
  };
  return {
    name,
    dialects,
    complete: (call) => post(paths.complete[call.dialect]!, call),
    probe,
    readJson: async (path, { signal, body }) => {
      const { origin } = new URL(options.baseUrl);
      const headers = { ...headersOf(options, {}, dialects[0]!), ...JSON_TYPE };
      const method = body ? ('POST' as const) : ('GET' as const);
      const json = body && JSON.stringify(body);
      const stop = stopWith(signal);
      const call = { origin, path, method, headers, stop, ...(json ? { body: json } : {}) };
      const response = await send(agent, call);
      const text = (await readBody(response.body, MODELS_BYTES_MAX)).toString();
      return response.status === 200 ? parseObject(text) : undefined;
    },
    listModels: async (signal) => {
      const { status, models } = await probe(signal);
      if (status !== 200 || !models) throw unreadableModels();
      return [...models];
    },
    close: () => agent.destroy(),
    retire: () => void agent.close(),
  };
};

/** Returns the `Stop` of a call that only a signal ends. */
export const stopWith = (signal: AbortSignal): Stop => {
  const stop: Stop = { reason: signal.aborted ? signal.reason : undefined, onStop: undefined };
  const onAbort = (): void => {
    stop.reason = signal.reason;
    stop.onStop?.(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  return stop;
};

/**
 * Creates a connector that reports connect errors as PROVIDER_UNREACHABLE, because no byte of the
 * call was sent. A ServiceError of `connect` is reported as it is.
 */
const createConnector = ({ connect, timeouts }: HttpProviderOptions): buildConnector.connector => {
  const open = connect ?? buildConnector({ timeout: timeouts.connectMs, allowH2: false });
  return (target, callback) =>
    open(target, (...result) => {
      const [error, socket] = result;
      if (error) callback(isServiceError(error) ? error : unreachable(error), null);
      else callback(null, socket);
    });
};

const unreachable = (cause: unknown): ServiceError =>
  new ServiceError('PROVIDER_UNREACHABLE', 'The model provider cannot be reached.', { cause });

const headersOf = (
  { headers, headersFor }: HttpProviderOptions,
  client: ProviderRequest['headers'],
  dialect: EndpointName,
): Readonly<Record<string, string>> => ({
  ...(headersFor ? headersFor(client, dialect) : client),
  ...headers,
});

const JSON_TYPE = { 'content-type': 'application/json' };

/** Headers that are never forwarded, even though the api-gateway already removes them. */
const CREDENTIALS = /^(authorization|proxy-authorization|x-api-key|api-key|cookie)$/;

const withoutCredentials = (headers: ProviderRequest['headers']): ProviderRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !CREDENTIALS.test(name)));

const createLocator = (baseUrl: string) => {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/$/, '');
  const baseQuery = base.search.slice(1);
  return (path: string, query: string): { origin: string; path: string } => {
    const joined = [baseQuery, query].filter(Boolean).join('&');
    return { origin: base.origin, path: `${prefix}${path}${joined ? `?${joined}` : ''}` };
  };
};

const send = async (agent: Agent, call: HttpCall): Promise<ProviderAnswer> => {
  // If the provider was retired between routing and sending, undici's error would not show whether
  // bytes were sent.
  if (agent.closed) throw retired();
  return await sendRequest(agent, call);
};

const retired = (): ServiceError =>
  new ServiceError(
    'PROVIDER_UNREACHABLE',
    'The settings of this model provider have just changed; send the call again.',
  );

const toModelIds = (body: Buffer): string[] | undefined => {
  const data = parseObject(body.toString())?.data;
  if (!Array.isArray(data)) return undefined;
  return data.flatMap((model: unknown) =>
    typeof model === 'object' && model !== null && 'id' in model && typeof model.id === 'string'
      ? [model.id]
      : [],
  );
};

const unreadableModels = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider did not list its models.');

type HttpCall = Omit<Dispatcher.DispatchOptions, 'signal'> & { stop: Stop };

/** Maximum time for a provider to end its response after the last frame, in milliseconds. */
const DRAIN_MAX_MS = 1_000;

/**
 * Sends one call and resolves once the response headers have arrived. Rejects as
 * `Provider.complete` does; a stop closes the connection. If the call is stopped before it has a
 * connection, the failure has the field `unsent`.
 */
const sendRequest = (agent: Agent, { stop, ...options }: HttpCall): Promise<ProviderAnswer> =>
  new Promise((resolve, reject) => {
    if (stop.reason !== undefined) return reject(markUnsent(stop.reason));
    let controller: Dispatcher.DispatchController | undefined;
    let body: ReceivedBody | undefined;
    const fail = (error: unknown): void => {
      stop.onStop = undefined;
      const failure = toProviderFailure(error, stop);
      reject(failure);
      body?.fail(failure);
    };
    stop.onStop = (reason) => {
      // Without a controller the call still waits for a connection, so nothing was sent.
      if (!controller) return fail(markUnsent(reason));
      controller.abort(reason as Error);
      return fail(reason);
    };
    agent.dispatch(options, {
      onRequestStart: (started) => {
        controller = started;
        if (stop.reason !== undefined) started.abort(stop.reason as Error);
      },
      onResponseStart: (started, status, headers) => {
        // Ignores informational responses (1xx).
        if (status < 200) return;
        body = createReceivedBody(started, fail);
        resolve({ status, headers: flatten(headers), body });
      },
      onResponseData: (_controller, chunk) => body?.bytes(chunk),
      onResponseEnd: () => {
        stop.onStop = undefined;
        body?.end();
      },
      onResponseError: (_controller, error) => fail(error),
    });
    return undefined;
  });

type Connection = Pick<Dispatcher.DispatchController, 'abort' | 'pause' | 'resume'>;

/** A body with the functions by which the connection writes into it. */
type ReceivedBody = AnswerBody & BodyReader;

/** Creates the body of a response. `onAbort` fails the call. */
export const createReceivedBody = (
  connection: Connection,
  onAbort: (reason: unknown) => void,
): ReceivedBody => {
  let early: Uint8Array[] = [];
  let outcome: { error?: unknown } | undefined;
  let reader: BodyReader | undefined;
  let isDiscarded = false;
  let drainTimer: NodeJS.Timeout | undefined;
  const finish = (result: { error?: unknown }): void => {
    if (outcome) return;
    outcome = result;
    clearTimeout(drainTimer);
    if (!isDiscarded && reader) report(reader, result);
  };
  return {
    bytes: (chunk) => {
      if (isDiscarded) return;
      if (reader) reader.bytes(chunk);
      else early.push(chunk);
    },
    end: () => finish({}),
    fail: (error) => finish({ error }),
    read: (next) => {
      reader = next;
      for (const chunk of early) if (!isDiscarded) next.bytes(chunk);
      early = [];
      if (outcome && !isDiscarded) report(next, outcome);
    },
    pause: () => {
      if (!outcome) connection.pause();
    },
    resume: () => {
      if (!outcome) connection.resume();
    },
    discard: () => {
      if (isDiscarded) return;
      isDiscarded = true;
      if (outcome) return;
      drainTimer = setTimeout(() => connection.abort(drainTimedOut()), DRAIN_MAX_MS);
      connection.resume();
    },
    abort: (reason) => {
      if (outcome) return;
      connection.abort(reason as Error);
      onAbort(reason);
    },
  };
};

const report = (reader: BodyReader, outcome: { error?: unknown }): void => {
  if ('error' in outcome) reader.fail(outcome.error);
  else reader.end();
};

const drainTimedOut = (): Error => new Error('The rest of the response did not end in time.');

const flatten = (
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> => {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

const markUnsent = (reason: unknown): unknown =>
  isServiceError(reason)
    ? new ServiceError(reason.reason, reason.message, {
        cause: reason.cause,
        fields: { ...reason.fields, unsent: 'true' },
      })
    : reason;

const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

/**
 * Returns the failure of a call: a ServiceError as it is, the reason of a stop, PROVIDER_TIMEOUT,
 * or else PROVIDER_STREAM_CUT.
 */
const toProviderFailure = (error: unknown, { reason }: Stop): ServiceError => {
  if (isServiceError(error)) return error;
  if (isServiceError(reason)) return reason;
  if (Error.isError(error) && 'code' in error && TIMED_OUT.has(String(error.code))) {
    const message = 'The model provider did not answer in time.';
    return new ServiceError('PROVIDER_TIMEOUT', message, { cause: error });
  }
  const message = 'The model provider broke the connection.';
  return new ServiceError('PROVIDER_STREAM_CUT', message, { cause: error });
};

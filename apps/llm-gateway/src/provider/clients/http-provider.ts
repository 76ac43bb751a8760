import { isServiceError, ServiceError } from '@witan/contracts';
import { parseObject } from '@witan/dialects';
import type { EndpointName, JsonObject } from '@witan/dialects';
import { Agent, buildConnector } from 'undici';
import { readBody } from '../provider.ts';
import type { Provider, ProviderAnswer, ProviderRequest, Stop } from '../provider.ts';
import { sendRequest } from './send-request.ts';

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
  headersFor: (
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
  const { name, dialects, headersFor, paths } = options;
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
    const headers = { ...headersFor(client, dialect), 'content-type': 'application/json' };
    return await send(agent, { ...locate(path, query), method: 'POST', headers, body, stop });
  };
  const probe = async (signal: AbortSignal): Promise<ProviderProbe> => {
    const target = locate(paths.models, paths.modelsQuery ?? '');
    const call = { ...target, method: 'GET' as const, headers: headersFor({}, dialects[0]!) };
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
      const headers = { ...headersFor({}, dialects[0]!), 'content-type': 'application/json' };
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

const send = async (
  agent: Agent,
  call: Parameters<typeof sendRequest>[1],
): Promise<ProviderAnswer> => {
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

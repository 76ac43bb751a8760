import { isServiceError, ServiceError } from '@witan/contracts';
import { Agent } from 'undici';
import type { buildConnector, Dispatcher } from 'undici';
import type { Provider, ProviderAnswer } from '../domain/completion/ports.ts';
import { parseObject } from '../domain/completion/read-body.ts';

/** Where a provider is and how it is called. */
export type HttpProviderOptions = {
  name: Provider['name'];
  /** Ends in the version, as in `https://api.openai.com/v1`; read as the official SDK does. */
  baseUrl: string;
  headers: Readonly<Record<string, string>>;
  timeouts: ProviderTimeouts;
  /** Opens connections; a guard may refuse some. */
  connect?: buildConnector.connector;
};

/** All in milliseconds. */
export type ProviderTimeouts = { connectMs: number; firstByteMs: number; idleMs: number };

/** Sockets to one provider; calls beyond it wait their turn. */
const CONNECTIONS_MAX = 1_024;
/** How long a provider may take to close its answer behind the last frame, in milliseconds. */
const REST_MAX_MS = 1_000;
/** Largest list of models, in bytes. */
const MODELS_BYTES_MAX = 4 * 1024 * 1024;

/** A provider that speaks the chat-completions dialect over HTTP. Never retries: clients do. */
export const createHttpProvider = (
  options: HttpProviderOptions,
): Provider & { close: () => Promise<void> } => {
  const agent = new Agent({
    connections: CONNECTIONS_MAX,
    pipelining: 1,
    headersTimeout: options.timeouts.firstByteMs,
    bodyTimeout: options.timeouts.idleMs,
    connect: options.connect ?? { timeout: options.timeouts.connectMs },
  });
  const completions = locate(options.baseUrl, '/chat/completions');
  const models = locate(options.baseUrl, '/models');
  return {
    name: options.name,
    complete: async ({ body, signal }) => {
      const answer = await request(agent, {
        ...completions,
        method: 'POST',
        headers: { ...options.headers, 'content-type': 'application/json' },
        body,
        signal,
      });
      return { ...answer, body: readChunks(answer.body, signal) };
    },
    listModels: async (signal) => {
      const headers = options.headers;
      const { body, status } = await request(agent, { ...models, method: 'GET', headers, signal });
      const chunks: Uint8Array[] = [];
      let bytes = 0;
      for await (const chunk of readChunks(body, signal)) {
        bytes += chunk.length;
        if (bytes > MODELS_BYTES_MAX) break;
        chunks.push(chunk);
      }
      if (status !== 200) throw unreadableModels();
      return toModelIds(Buffer.concat(chunks));
    },
    close: () => agent.destroy(),
  };
};

/** The official SDK appends the path to the base URL; a query of the base stays behind it. */
const locate = (baseUrl: string, path: string): { origin: string; path: string } => {
  const base = new URL(baseUrl);
  return { origin: base.origin, path: `${base.pathname.replace(/\/$/, '')}${path}${base.search}` };
};

type HttpBody = Dispatcher.ResponseData['body'];

const request = async (
  agent: Agent,
  options: Dispatcher.RequestOptions,
): Promise<ProviderAnswer & { body: HttpBody }> => {
  try {
    const { statusCode, headers, body } = await agent.request(options);
    return { status: statusCode, headers: flatten(headers), body };
  } catch (error) {
    throw toProviderError(error, options.signal as AbortSignal);
  }
};

/**
 * A reader that leaves early (a stream is over at its last frame, not at its last byte) must not
 * cost the connection: what little is left is read away, so that the next call can use it.
 */
async function* readChunks(body: HttpBody, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    yield* body.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw toProviderError(error, signal);
  } finally {
    // Rejects when the provider breaks off now, which no longer concerns anybody.
    if (!signal.aborted && !body.readableEnded) body.dump(readAway()).catch(() => {});
  }
}

/** Limited by time: undici's byte limit would count what was read before. */
const readAway = (): { limit: number; signal: AbortSignal } => ({
  limit: Number.MAX_SAFE_INTEGER,
  signal: AbortSignal.timeout(REST_MAX_MS),
});

const flatten = (headers: Record<string, string | string[] | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value]],
    ),
  );

/** Failures of connecting: no byte of the call left the house. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);
const TIMED_OUT = new Set(['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']);

const toProviderError = (error: unknown, signal: AbortSignal): ServiceError => {
  if (isServiceError(error)) return error;
  if (signal.aborted && isServiceError(signal.reason)) return signal.reason;
  const code = codeOf(error);
  if (NOT_SENT.has(code)) {
    const message = 'The model provider cannot be reached.';
    return new ServiceError('PROVIDER_UNREACHABLE', message, { cause: error });
  }
  if (TIMED_OUT.has(code)) {
    const message = 'The model provider did not answer in time.';
    return new ServiceError('PROVIDER_TIMEOUT', message, { cause: error });
  }
  const message = 'The model provider broke the connection.';
  return new ServiceError('PROVIDER_STREAM_CUT', message, { cause: error });
};

/** A host with several addresses fails with one error per address inside. */
const codeOf = (error: unknown): string => {
  if (!Error.isError(error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
};

const toModelIds = (body: Buffer): string[] => {
  const list = parseObject(body);
  const data = list?.data;
  if (!Array.isArray(data)) throw unreadableModels();
  return data.flatMap((model: unknown) =>
    typeof model === 'object' && model !== null && 'id' in model && typeof model.id === 'string'
      ? [model.id]
      : [],
  );
};

const unreadableModels = (): ServiceError =>
  new ServiceError('PROVIDER_INVALID_ANSWER', 'The model provider did not list its models.');

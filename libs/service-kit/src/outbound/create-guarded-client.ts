import { cancelled } from '@witan/contracts';
import type { Dispatcher, Pool } from 'undici';
import { withSpan } from '../telemetry/with-span.ts';
import type { OpenSpan } from '../telemetry/with-span.ts';
import { abortable } from '../schedule/abortable.ts';
import { createAddressLookup, resolveTarget } from './resolve-target.ts';
import type { LookupAddresses } from './resolve-target.ts';
import { createConnectionSemaphore } from './create-connection-semaphore.ts';
import type { ConnectionSemaphore } from './create-connection-semaphore.ts';
import { createPinnedPools } from './create-pinned-pools.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundFailure } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import type { TargetPolicy } from './target-policy.ts';

export type GuardedClient = {
  /**
   * Sends one POST request. Resolves even if the target fails. Rejects only with the reason of an
   * aborted `signal`, with CANCELLED when the client is closed, and with unexpected errors.
   */
  post: (call: OutboundCall) => Promise<OutboundResult>;
  /** Sends one DELETE request without a body, on the terms of `post`. */
  delete: (call: Omit<OutboundCall, 'body'>) => Promise<OutboundResult>;
  close: () => Promise<void>;
};

export type OutboundCall = {
  url: string;
  /**
   * Identifies the caller, for example a workspace. Calls of different scopes do not share
   * connections.
   */
  scope: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /**
   * Total time for DNS, connecting, sending and the response, in milliseconds. The wait for a
   * connection permit is not counted and can add up to 4 s.
   */
  timeoutMs: number;
  bodyBytesMax: number;
  oversizedBody: OversizedBody;
  signal?: AbortSignal;
  /**
   * Statuses that are answers of the called protocol, not failures: their bodies are returned as
   * that of a 2xx. None by default.
   */
  answerStatuses?: readonly number[] | 'all';
  /** Lower-case names of the response headers to return. */
  wantedHeaders?: readonly string[];
};

type Exchange = Omit<OutboundCall, 'body'> & {
  method: 'POST' | 'DELETE';
  body: OutboundCall['body'] | null;
};

export type OutboundResult =
  | {
      ok: true;
      status: number;
      body: Uint8Array;
      /** Those of `wantedHeaders` that were received. */
      headers?: Readonly<Record<string, string>>;
    }
  | {
      ok: false;
      failure: OutboundFailure;
      status: number | undefined;
      /** The header `Retry-After` as received. */
      retryAfter?: string;
    };

export type GuardedClientOptions = {
  policy: TargetPolicy;
  lookup?: LookupAddresses;
  ca?: string;
  semaphore?: ConnectionSemaphore;
};

/**
 * Creates a client for user-given URLs. For every call it checks the URL and all addresses of its
 * host again and connects only to these addresses. It follows no redirects and ignores proxies set
 * in the environment.
 */
export const createGuardedClient = ({
  policy,
  lookup = createAddressLookup(),
  ca,
  semaphore = createConnectionSemaphore(),
}: GuardedClientOptions): GuardedClient => {
  const pools = createPinnedPools({ ca });
  const exchange = async (call: Exchange, span: OpenSpan): Promise<OutboundResult> => {
    const budget = startBudget(call);
    try {
      const target = parseTargetUrl(call.url, policy);
      span.setAttributes({ 'server.address': target.hostname });
      const addresses = await resolveTarget(target, { lookup, signal: budget.signal });
      const findPool = (): Pool => pools.poolFor({ scope: call.scope, target, addresses });
      const releasePermit = await acquirePermit(findPool(), { call, semaphore, budget });
      try {
        const { path } = target;
        const parts = { ...call, path, signal: budget.signal, onConnected: releasePermit };
        // `findPool` is called again, because the pool may have been evicted during the wait for a
        // permit.
        return await sendRequest(findPool(), parts);
      } finally {
        releasePermit();
      }
    } catch (error) {
      call.signal?.throwIfAborted();
      return { ok: false, failure: toFailure(error), status: undefined };
    } finally {
      budget.end();
    }
  };
  const send = (call: Exchange): Promise<OutboundResult> =>
    withSpan(spanOf(call), async (span) => recordResult(await exchange(call, span), span));
  return {
    post: (call) => send({ ...call, method: 'POST' }),
    delete: (call) => send({ ...call, method: 'DELETE', body: null }),
    close: async () => {
      semaphore.close();
      await pools.close();
    },
  };
};

/** Of the URL, the span has only the host name, because path and query can contain secrets. */
const spanOf = ({ method }: Pick<Exchange, 'method'>) =>
  ({ name: method, role: 'client', attributes: { 'http.request.method': method } }) as const;

const recordResult = (result: OutboundResult, span: OpenSpan): OutboundResult => {
  if (result.status !== undefined)
    span.setAttributes({ 'http.response.status_code': result.status });
  if (!result.ok) span.fail(result.failure);
  return result;
};

type Budget = {
  signal: AbortSignal;
  pause: () => void;
  resume: () => void;
  end: () => void;
};

/**
 * Starts the time budget of a call. The signal aborts when the time is spent or the call's own
 * signal aborts; `pause` stops the clock.
 */
const startBudget = ({ timeoutMs, signal }: Exchange): Budget => {
  const expiry = new AbortController();
  const onExpired = (): void =>
    expiry.abort(new OutboundError('timeout', 'The host did not answer in time.'));
  let startedAt = performance.now();
  let remainingMs = timeoutMs;
  let timer = setTimeout(onExpired, remainingMs);
  return {
    signal: signal ? AbortSignal.any([signal, expiry.signal]) : expiry.signal,
    pause: () => {
      clearTimeout(timer);
      remainingMs -= performance.now() - startedAt;
    },
    resume: () => {
      startedAt = performance.now();
      timer = setTimeout(onExpired, Math.max(remainingMs, 0));
    },
    end: () => clearTimeout(timer),
  };
};

/**
 * Waits for a permit to open a connection; returns at once if the pool has a free connection. The
 * call's time budget is paused during the wait.
 */
const acquirePermit = async (
  pool: Pool,
  { call, semaphore, budget }: { call: Exchange; semaphore: ConnectionSemaphore; budget: Budget },
): Promise<() => void> => {
  if (pool.stats.free > 0) return () => {};
  budget.pause();
  const releasePermit = await semaphore.acquire(call.scope, call.signal);
  budget.resume();
  return releasePermit;
};

const sendRequest = async (
  pool: Pool,
  call: Exchange & { path: string; signal: AbortSignal; onConnected: () => void },
): Promise<OutboundResult> => {
  const { method, path, signal, onConnected } = call;
  const headers = { ...call.headers, 'accept-encoding': 'identity' };
  const composedPool = pool.compose(notifyConnected(onConnected));
  const send = () => composedPool.request({ method, path, headers, body: call.body, signal });
  // `abortable` is needed because undici checks the signal only after connecting.
  const { statusCode: status, headers: fields, body } = await abortable(send, signal);
  const { answerStatuses, wantedHeaders, bodyBytesMax: bytesMax, oversizedBody } = call;
  if (!isAnswer(status, answerStatuses)) {
    const { 'retry-after': retryAfter } = fields;
    const hasText = typeof retryAfter === 'string';
    discardBody(body, bytesMax);
    return { ok: false, failure: 'http_status', status, ...(hasText && { retryAfter }) };
  }
  return {
    ok: true,
    status,
    body: await readBody(body, { bytesMax, oversizedBody }),
    ...(wantedHeaders && { headers: pickFields(fields, wantedHeaders) }),
  };
};

const isAnswer = (status: number, answerStatuses: OutboundCall['answerStatuses'] = []): boolean =>
  (status >= 200 && status <= 299) || answerStatuses === 'all' || answerStatuses.includes(status);

const pickFields = (
  fields: Dispatcher.ResponseData['headers'],
  names: readonly string[],
): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = fields[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );

const notifyConnected =
  (onConnected: () => void): Dispatcher.DispatcherComposeInterceptor =>
  (dispatch) =>
  (options, handler) =>
    dispatch(options, {
      onRequestStart: (...args) => {
        onConnected();
        handler.onRequestStart?.(...args);
      },
      onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
      onResponseStart: (...args) => handler.onResponseStart?.(...args),
      onResponseData: (...args) => handler.onResponseData?.(...args),
      onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
      onResponseError: (...args) => handler.onResponseError?.(...args),
    });

const DISCARD_MAX_MS = 1_000;

/**
 * Reads the rest of an error response, so that the connection can be reused. Gives up if the rest
 * is long or slow.
 */
const discardBody = (body: Dispatcher.ResponseData['body'], limit: number): void => {
  body.dump({ limit, signal: AbortSignal.timeout(DISCARD_MAX_MS) }).catch(() => {});
};

const CLIENT_CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const toFailure = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundError) return error.failure;
  const code = Error.isError(error) && 'code' in error ? String(error.code) : '';
  if (CLIENT_CLOSED.has(code)) throw cancelled();
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'response_too_large';
  if (code.startsWith('ERR_SSL_')) return 'tls';
  const isInvalidHttp = Error.isError(error) && INVALID_HTTP.has(error.name);
  if (CONNECTION_ERROR.test(code) || isInvalidHttp) return 'connect';
  throw error;
};

/** Names of errors of undici for an invalid response; it asserts that a status is at least 100. */
const INVALID_HTTP = new Set(['HTTPParserError', 'AssertionError']);

/**
 * Codes of lost connections and of responses that are not valid HTTP. `toFailure` throws errors
 * that it does not recognize, because they are bugs.
 */
const CONNECTION_ERROR = /^(UND_ERR_(SOCKET|INFO|ABORTED|RES_CONTENT_LENGTH_MISMATCH)|E[A-Z\d]+)$/;

export type OversizedBody = 'truncate' | 'fail';

/**
 * Returns at most `bytesMax` bytes of the body. If the body is longer, destroys the connection,
 * because the body may be endless, and throws OutboundError `response_too_large` if `oversizedBody`
 * is `fail`.
 */
export const readBody = async (
  body: Dispatcher.ResponseData['body'],
  { bytesMax, oversizedBody }: { bytesMax: number; oversizedBody: OversizedBody },
): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving this loop before the end of the body destroys the connection.
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > bytesMax) break;
  }
  if (bytes > bytesMax && oversizedBody === 'fail') {
    throw new OutboundError(
      'response_too_large',
      `The response is longer than ${bytesMax} bytes; send a shorter one.`,
    );
  }
  return Buffer.concat(chunks, Math.min(bytes, bytesMax));
};

import { cancelled } from '@witan/contracts';
import { withSpan } from '../telemetry/with-span.ts';
import type { OpenSpan } from '../telemetry/with-span.ts';
import type { Dispatcher, Pool } from 'undici';
import { abortable } from './abortable.ts';
import { createAddressLookup } from './create-address-lookup.ts';
import { createConnectionSemaphore } from './create-connection-semaphore.ts';
import type { ConnectionSemaphore } from './create-connection-semaphore.ts';
import { createPinnedPools } from './create-pinned-pools.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundFailure } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import { readBody } from './read-body.ts';
import type { OversizedBody } from './read-body.ts';
import { resolveTarget } from './resolve-target.ts';
import type { LookupAddresses } from './resolve-target.ts';
import type { TargetPolicy } from './target-policy.ts';

/** Calls URLs that users gave, and only those that the policy allows. */
export type GuardedClient = {
  /**
   * Sends one POST. Whatever the target does is an answer, not a throw; rejects only with the
   * reason of an aborted `signal`, with CANCELLED when the client is closed, and with bugs.
   */
  post: (call: OutboundCall) => Promise<OutboundResult>;
  /** Breaks all connections. */
  close: () => Promise<void>;
};

export type OutboundCall = {
  url: string;
  /** Who calls, for example a workspace: connections are kept apart. */
  scope: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /**
   * The one budget for DNS, connecting, sending and the whole answer, in milliseconds. Up to 4 s
   * more may go by before it is connected, while many others are.
   */
  timeoutMs: number;
  /** Longest body of an answer, in bytes, and what happens to a longer one. */
  bodyBytesMax: number;
  oversizedBody: OversizedBody;
  signal?: AbortSignal;
};

/** A 2xx answer, or why there is none; `status` is there when the host answered with one. */
export type OutboundResult =
  | { ok: true; status: number; body: Uint8Array }
  | { ok: false; failure: OutboundFailure; status: number | undefined };

export type GuardedClientOptions = {
  policy: TargetPolicy;
  lookup?: LookupAddresses;
  /** PEM; replaces the well-known authorities. */
  ca?: string;
  /** Of this client alone: it closes them. */
  semaphore?: ConnectionSemaphore;
};

/**
 * The client for user-given URLs. Every call judges the URL and all addresses of its host anew and
 * uses only connections to those. Follows no redirect and obeys no proxy of the environment.
 */
export const createGuardedClient = ({
  policy,
  lookup = createAddressLookup(),
  ca,
  semaphore = createConnectionSemaphore(),
}: GuardedClientOptions): GuardedClient => {
  const pools = createPinnedPools({ ca });
  const post = async (call: OutboundCall, span: OpenSpan): Promise<OutboundResult> => {
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
        // Again: the pool may have been let go meanwhile.
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
  return {
    post: (call) => withSpan(POST, async (span) => recordResult(await post(call, span), span)),
    close: async () => {
      semaphore.close();
      await pools.close();
    },
  };
};

/** Of the URL nothing but the host: its path and query may hold anything. */
const POST = {
  name: 'POST',
  role: 'client',
  attributes: { 'http.request.method': 'POST' },
} as const;

const recordResult = (result: OutboundResult, span: OpenSpan): OutboundResult => {
  if (result.status !== undefined)
    span.setAttributes({ 'http.response.status_code': result.status });
  if (!result.ok) span.fail(result.failure);
  return result;
};

type Budget = {
  signal: AbortSignal;
  /** Until `resume` nothing counts. */
  pause: () => void;
  resume: () => void;
  end: () => void;
};

/** A signal for the whole call; each part of it counts. */
const startBudget = ({ timeoutMs, signal }: OutboundCall): Budget => {
  const expiry = new AbortController();
  const onExpired = (): void =>
    expiry.abort(new OutboundError('timeout', 'The host did not answer in time.'));
  let startedAt = performance.now();
  let leftMs = timeoutMs;
  let timer = setTimeout(onExpired, leftMs);
  return {
    signal: signal ? AbortSignal.any([signal, expiry.signal]) : expiry.signal,
    pause: () => {
      clearTimeout(timer);
      leftMs -= performance.now() - startedAt;
    },
    resume: () => {
      startedAt = performance.now();
      timer = setTimeout(onExpired, Math.max(leftMs, 0));
    },
    end: () => clearTimeout(timer),
  };
};

/** Waits for a place to open a connection, unless one is free: our wait, not the host's. */
const acquirePermit = async (
  pool: Pool,
  {
    call,
    semaphore,
    budget,
  }: { call: OutboundCall; semaphore: ConnectionSemaphore; budget: Budget },
): Promise<() => void> => {
  if (pool.stats.free > 0) return () => {};
  budget.pause();
  const releasePermit = await semaphore.acquire(call.scope, call.signal);
  budget.resume();
  return releasePermit;
};

const sendRequest = async (
  pool: Pool,
  call: OutboundCall & { path: string; signal: AbortSignal; onConnected: () => void },
): Promise<OutboundResult> => {
  const { path, signal, onConnected } = call;
  const headers = { ...call.headers, 'accept-encoding': 'identity' };
  const composed = pool.compose(notifyConnected(onConnected));
  const send = () => composed.request({ method: 'POST', path, headers, body: call.body, signal });
  // undici looks at the signal once it is connected, which may be never.
  const { statusCode: status, body } = await abortable(send, signal);
  if (status < 200 || status > 299) {
    discardBody(body, call.bodyBytesMax);
    return { ok: false, failure: 'http_status', status };
  }
  const { bodyBytesMax: bytesMax, oversizedBody } = call;
  return { ok: true, status, body: await readBody(body, { bytesMax, oversizedBody }) };
};

/** Calls when the request has its connection, new or kept. */
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

/** How long the body behind a refusal may take, in milliseconds. */
const DISCARD_MAX_MS = 1_000;

/** So that the connection can be used again; a body that is long or slow costs it. */
const discardBody = (body: Dispatcher.ResponseData['body'], limit: number): void => {
  // It rejects when the host breaks off, which no longer concerns anybody.
  body.dump({ limit, signal: AbortSignal.timeout(DISCARD_MAX_MS) }).catch(() => {});
};

const CLIENT_CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const toFailure = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundError) return error.failure;
  const code = Error.isError(error) && 'code' in error ? String(error.code) : '';
  if (CLIENT_CLOSED.has(code)) throw cancelled();
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'response_too_large';
  if (code.startsWith('ERR_SSL_')) return 'tls';
  // undici's parser errors carry no code.
  if (CONNECTION_ERROR.test(code) || (Error.isError(error) && error.name === 'HTTPParserError')) {
    return 'connect';
  }
  throw error;
};

/** The connection broke, or what came was not HTTP; other errors are bugs. */
const CONNECTION_ERROR = /^(UND_ERR_(SOCKET|INFO|ABORTED|RES_CONTENT_LENGTH_MISMATCH)|E[A-Z\d]+)$/;

import { cancelled } from '@witan/contracts';
import type { Dispatcher, Pool } from 'undici';
import { abortable } from './abortable.ts';
import { createAddressLookup } from './create-address-lookup.ts';
import { createPinnedPools } from './create-pinned-pools.ts';
import { OutboundError } from './outbound-error.ts';
import type { OutboundFailure } from './outbound-error.ts';
import { parseTargetUrl } from './parse-target-url.ts';
import { readBody } from './read-body.ts';
import type { LongBody } from './read-body.ts';
import { resolveTarget } from './resolve-target.ts';
import type { LookupAddresses } from './resolve-target.ts';
import type { TargetPolicy } from './target-policy.ts';

/** Calls URLs that users gave, and only those that the policy allows. */
export type GuardedClient = {
  /**
   * Sends one POST. Whatever the target does is an answer, not a throw; rejects only with the
   * reason of an aborted `signal`, with CANCELLED when the client is closed, and with bugs.
   */
  post: (call: OutboundCall) => Promise<OutboundAnswer>;
  /** Breaks all connections. */
  close: () => Promise<void>;
};

export type OutboundCall = {
  url: string;
  /** Who calls, for example a workspace: connections are kept apart. */
  scope: string;
  headers: Readonly<Record<string, string>>;
  body: string | Uint8Array;
  /** The one budget for DNS, connecting, sending and the whole answer, in milliseconds. */
  timeoutMs: number;
  /** Longest body of an answer, in bytes, and what happens to a longer one. */
  bodyBytesMax: number;
  longBody: LongBody;
  signal?: AbortSignal;
};

/** A 2xx answer, or why there is none; `status` is there when the host answered with one. */
export type OutboundAnswer =
  | { ok: true; status: number; body: Uint8Array }
  | { ok: false; failure: OutboundFailure; status: number | undefined };

export type GuardedClientOptions = {
  policy: TargetPolicy;
  lookup?: LookupAddresses;
  /** PEM; replaces the well-known authorities. */
  ca?: string;
};

/**
 * The client for user-given URLs. Every call judges the URL and all addresses of its host anew and
 * uses only connections to those. Follows no redirect and obeys no proxy of the environment.
 */
export const createGuardedClient = ({
  policy,
  lookup = createAddressLookup(),
  ca,
}: GuardedClientOptions): GuardedClient => {
  const pools = createPinnedPools({ ca });
  return {
    post: async (call) => {
      const budget = startBudget(call);
      try {
        const target = parseTargetUrl(call.url, policy);
        const addresses = await resolveTarget(target, { lookup, signal: budget.signal });
        const pool = pools.poolFor({ scope: call.scope, target, addresses });
        return await exchange(pool, { ...call, path: target.path, signal: budget.signal });
      } catch (error) {
        call.signal?.throwIfAborted();
        return { ok: false, failure: toFailure(error), status: undefined };
      } finally {
        budget.end();
      }
    },
    close: pools.close,
  };
};

/** A signal for the whole call; each part of it counts. */
const startBudget = ({ timeoutMs, signal }: OutboundCall) => {
  const spent = new AbortController();
  const timer = setTimeout(() => {
    spent.abort(new OutboundError('timeout', 'The host did not answer in time.'));
  }, timeoutMs);
  return {
    signal: signal ? AbortSignal.any([signal, spent.signal]) : spent.signal,
    end: (): void => clearTimeout(timer),
  };
};

const exchange = async (
  pool: Pool,
  call: OutboundCall & { path: string; signal: AbortSignal },
): Promise<OutboundAnswer> => {
  const { path, signal } = call;
  const headers = { ...call.headers, 'accept-encoding': 'identity' };
  const send = () => pool.request({ method: 'POST', path, headers, body: call.body, signal });
  // undici looks at the signal once it is connected, which may be never.
  const { statusCode: status, body } = await abortable(send, signal);
  if (status < 200 || status > 299) {
    readAway(body, call.bodyBytesMax);
    return { ok: false, failure: 'http_status', status };
  }
  const { bodyBytesMax: bytesMax, longBody } = call;
  return { ok: true, status, body: await readBody(body, { bytesMax, longBody }) };
};

/** How long the body behind a refusal may take, in milliseconds. */
const REST_MAX_MS = 1_000;

/** So that the connection can be used again; a body that is long or slow costs it. */
const readAway = (body: Dispatcher.ResponseData['body'], limit: number): void => {
  // It rejects when the host breaks off, which no longer concerns anybody.
  body.dump({ limit, signal: AbortSignal.timeout(REST_MAX_MS) }).catch(() => {});
};

const CLOSED = new Set(['UND_ERR_DESTROYED', 'UND_ERR_CLOSED']);

const toFailure = (error: unknown): OutboundFailure => {
  if (error instanceof OutboundError) return error.failure;
  const code = Error.isError(error) && 'code' in error ? String(error.code) : '';
  if (CLOSED.has(code)) throw cancelled();
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return 'response_too_large';
  if (code.startsWith('ERR_SSL_')) return 'tls';
  // undici's parser errors carry no code.
  if (BROKEN.test(code) || (Error.isError(error) && error.name === 'HTTPParserError')) {
    return 'connect';
  }
  throw error;
};

/** The connection broke, or what came was not HTTP; other errors are bugs. */
const BROKEN = /^(UND_ERR_(SOCKET|INFO|ABORTED|RES_CONTENT_LENGTH_MISMATCH)|E[A-Z\d]+)$/;

import { createGuardedClient } from '@witan/service-kit';
import type { GuardedClient, GuardedClientOptions } from '@witan/service-kit';
import { describeFailure } from '../../tool/post-tool.ts';
import type { McpCaller, McpEndpoint, McpFailure } from '../mcp-server.ts';
import { readRpcResponse } from './read-rpc-response.ts';
import type { RpcResponse } from './read-rpc-response.ts';

export const RESPONSE_BYTES_MAX = 256 * 1024;
/** Statuses whose body names the revision that a server speaks, or the request that it refused. */
const ANSWER_STATUSES = [400, 404, 405, 406, 422];

const USER_AGENT = { 'User-Agent': 'Service-Tools/1.0' } as const;
const SESSION_HEADER = 'mcp-session-id';

export type Message = {
  method: string;
  params: Readonly<Record<string, unknown>>;
  isNotification?: true;
};

export type SendLimits = {
  headers: Readonly<Record<string, string>>;
  bytesMax: number;
  /** Milliseconds; not more than those of each request. */
  timeoutMs?: number;
};

export type Sent =
  | { status: number; response: RpcResponse | undefined; sessionId: string | undefined }
  | McpFailure;

export type Send = (
  endpoint: McpEndpoint,
  message: Message,
  caller: McpCaller,
  limits: SendLimits,
) => Promise<Sent>;

export type Transport = {
  send: Send;
  /** Asks the server to end the session of these headers, without waiting for it. */
  endSession: (endpoint: McpEndpoint, headers: SendLimits['headers']) => void;
};

export type TransportOptions = GuardedClientOptions & { timeoutMs: number };

/**
 * Opens the HTTP transport of messages to MCP servers, on the client that blocks forbidden
 * addresses. Each request has a timeout of `timeoutMs`, without a wait of up to 4 s for a
 * connection.
 */
export const openMcpTransport = (
  options: TransportOptions,
): Transport & { close: () => Promise<void> } => {
  const http = createGuardedClient(options);
  return {
    send: (endpoint, message, { signal }, { timeoutMs = options.timeoutMs, ...more }) => {
      const limits = { ...more, timeoutMs: Math.min(timeoutMs, options.timeoutMs) };
      return sendMessage(endpoint, message, { signal, http, ...limits });
    },
    endSession: (endpoint, headers) => endSession(endpoint, headers, http),
    close: http.close,
  };
};

/**
 * Returns `send` for requests that together have a timeout of `timeoutMs`; only the last one can
 * wait longer, for a connection.
 */
export const withDeadline = (
  send: Send,
  timeoutMs: number,
  now: () => number = () => performance.now(),
): Send => {
  const endsAt = now() + timeoutMs;
  return async (endpoint, message, caller, limits) => {
    const remainingMs = endsAt - now();
    if (remainingMs <= 0) {
      return { failure: 'timeout', status: null, message: describeFailure('timeout', null) };
    }
    return await send(endpoint, message, caller, { ...limits, timeoutMs: remainingMs });
  };
};

const SESSION_END_TIMEOUT_MS = 5_000;

const endSession = (
  { url, serverId, headers: ownHeaders }: McpEndpoint,
  headers: SendLimits['headers'],
  http: Pick<GuardedClient, 'delete'>,
): void => {
  const call = {
    ...{ url, scope: serverId, headers: { ...ownHeaders, ...USER_AGENT, ...headers } },
    timeoutMs: SESSION_END_TIMEOUT_MS,
    bodyBytesMax: RESPONSE_BYTES_MAX,
    oversizedBody: 'truncate',
  } as const;
  // A server may refuse to end sessions, and ends those of absent clients itself. The signal of the
  // call is not passed, because the session of a cancelled call is to end, too.
  http.delete(call).catch(() => {});
};

const REQUEST_ID = 1;

const sendMessage = async (
  endpoint: McpEndpoint,
  { method, params, isNotification }: Message,
  {
    http,
    timeoutMs,
    signal,
    headers,
    bytesMax,
  }: SendLimits & McpCaller & { http: Pick<GuardedClient, 'post'>; timeoutMs: number },
): Promise<Sent> => {
  const id = isNotification ? {} : { id: REQUEST_ID };
  const answered = await http.post({
    url: endpoint.url,
    scope: endpoint.serverId,
    headers: {
      ...endpoint.headers,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...USER_AGENT,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...id, method, params }),
    timeoutMs,
    bodyBytesMax: bytesMax,
    oversizedBody: 'fail',
    signal,
    answerStatuses: ANSWER_STATUSES,
    wantedHeaders: [SESSION_HEADER],
  });
  if (!answered.ok) {
    const { failure, status = null } = answered;
    const message = describeFailure(failure, status);
    return { failure: failure === 'timeout' ? 'timeout' : 'error', status, message };
  }
  return {
    status: answered.status,
    response: isNotification ? undefined : readRpcResponse(answered.body, REQUEST_ID),
    sessionId: answered.headers?.[SESSION_HEADER],
  };
};

import { createGuardedClient, withSpan } from '@witan/service-kit';
import type { GuardedClient, GuardedClientOptions } from '@witan/service-kit';
import { VERSION } from '@witan/service-kit/release';
import { describeFailure } from '../../tool/post-tool.ts';
import type { McpCaller, McpClient, McpEndpoint, McpFailure } from '../mcp-server.ts';
import { encodeHeaderValue } from '../param-headers.ts';
import { LISTED_TOOLS_MAX } from '../read-tool-list.ts';
import { readRpcResponse } from './read-rpc-response.ts';
import type { RpcResponse } from './read-rpc-response.ts';

const MODERN_VERSION = '2026-07-28';
const LEGACY_VERSION = '2025-11-25';
const LEGACY_VERSIONS: readonly unknown[] = [LEGACY_VERSION, '2025-06-18', '2025-03-26'];
/** Errors that only servers of the modern revision return. */
const MODERN_ERRORS: readonly number[] = [-32020, -32021, -32022];
const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;

const RESPONSE_BYTES_MAX = 256 * 1024;
const LIST_BYTES_MAX = 1024 * 1024;
const PAGES_MAX = 10;
/**
 * Timeout in milliseconds of listing all tools of a server: the handshake and each page, without
 * the wait for connections.
 */
const LIST_TIMEOUT_MS = 30_000;
/** Statuses whose body names the revision that a server speaks, or the request that it refused. */
const ANSWER_STATUSES = [400, 404, 405, 406, 422];

const USER_AGENT = { 'User-Agent': 'Service-Tools/1.0' } as const;
const CLIENT_INFO = { name: 'witan', version: VERSION } as const;
const SESSION_HEADER = 'mcp-session-id';

type Options = GuardedClientOptions & { timeoutMs: number };

/**
 * Creates a client of MCP servers on the HTTP client that blocks forbidden addresses. Listing the
 * tools determines whether the server supports protocol revision 2026-07-28 or only earlier ones,
 * which need a handshake before each call. A tool call uses that revision and is never repeated in
 * another one: a server may have run the tool although it answered with an error. Each HTTP request
 * has a timeout of `timeoutMs`, and listing the tools one of 30 s in all.
 */
export const createMcpClient = (options: Options): McpClient & { close: () => Promise<void> } => {
  const http = createGuardedClient(options);
  const transport: Transport = {
    send: (endpoint, message, { signal }, { timeoutMs = options.timeoutMs, ...more }) => {
      const limits = { ...more, timeoutMs: Math.min(timeoutMs, options.timeoutMs) };
      return sendMessage(endpoint, message, { signal, http, ...limits });
    },
    endSession: (endpoint, headers) => endSession(endpoint, headers, http),
  };
  return {
    listTools: (endpoint, caller) => {
      const timed = { ...transport, send: withDeadline(transport.send, LIST_TIMEOUT_MS) };
      return listTools(endpoint, { caller, ...timed });
    },
    callTool: async (endpoint, { name, args, paramHeaders }, caller) =>
      await withSpan(spanOf(name, endpoint), async (span) => {
        const request = { method: 'tools/call', params: { name, arguments: args } };
        const limits = { headers: paramHeaders, bytesMax: RESPONSE_BYTES_MAX };
        const called = await sendRequest(endpoint, request, limits, { caller, ...transport });
        if ('failure' in called) {
          span.fail(called.failure);
          return called;
        }
        const { status, result } = called;
        return { status, result };
      }),
    close: http.close,
  };
};

const spanOf = (name: string, { serverId }: McpEndpoint) =>
  ({
    name: `execute_tool ${name}`,
    role: 'internal',
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.type': 'extension',
      'witan.mcp_server.id': serverId,
    },
  }) as const;

type Message = { method: string; params: Readonly<Record<string, unknown>>; isNotification?: true };

type SendLimits = {
  headers: Readonly<Record<string, string>>;
  bytesMax: number;
  /** Milliseconds; not more than those of each request. */
  timeoutMs?: number;
};

type Sent =
  | { status: number; response: RpcResponse | undefined; sessionId: string | undefined }
  | McpFailure;

type Send = (
  endpoint: McpEndpoint,
  message: Message,
  caller: McpCaller,
  limits: SendLimits,
) => Promise<Sent>;

type Transport = {
  send: Send;
  /** Asks the server to end the session of these headers, without waiting for it. */
  endSession: (endpoint: McpEndpoint, headers: SendLimits['headers']) => void;
};

type Context = Transport & { caller: McpCaller };

/** Returns `send` for requests that together have a timeout of `timeoutMs`. */
const withDeadline = (send: Send, timeoutMs: number): Send => {
  const endsAt = performance.now() + timeoutMs;
  return async (endpoint, message, caller, limits) => {
    const remainingMs = endsAt - performance.now();
    if (remainingMs <= 0) {
      return { failure: 'timeout', status: null, message: describeFailure('timeout', null) };
    }
    return await send(endpoint, message, caller, { ...limits, timeoutMs: remainingMs });
  };
};

type ListedPages = { protocolVersion: string; tools: readonly unknown[] };

/**
 * Lists the tools in the modern revision, and in one session of an earlier one if the server
 * refuses that. Listing has no effect, so that the server may be asked twice.
 */
const listTools = async (
  endpoint: McpEndpoint,
  context: Context,
): Promise<ListedPages | McpFailure> => {
  const first = await requestModern(endpoint, toListRequest(), LIST_LIMITS, context);
  if ('failure' in first) return first;
  if (isLegacy(first)) return await withSession(endpoint, context, (send) => readPages(send));
  const send: SendOpened = async (message, limits) => {
    const sent = await requestModern(endpoint, message, limits, context);
    return 'failure' in sent ? sent : toAnswered(sent, MODERN_VERSION);
  };
  return await readPages(send, toAnswered(first, MODERN_VERSION));
};

const LIST_LIMITS = { headers: {}, bytesMax: LIST_BYTES_MAX } as const;

const toListRequest = (cursor?: string): Message => ({
  method: 'tools/list',
  params: cursor === undefined ? {} : { cursor },
});

/** Reads all pages, but no more once there are more tools than a server may list. */
const readPages = async (
  send: SendOpened,
  firstPage?: Answered | McpFailure,
): Promise<ListedPages | McpFailure> => {
  let tools: readonly unknown[] = [];
  let listed = firstPage ?? (await send(toListRequest(), LIST_LIMITS));
  for (let page = 1; ; page += 1) {
    if ('failure' in listed) return listed;
    const { result, protocolVersion } = listed;
    if (!Array.isArray(result.tools)) return invalidAnswer(listed.status);
    tools = tools.concat(result.tools);
    const { nextCursor } = result;
    if (typeof nextCursor !== 'string' || tools.length > LISTED_TOOLS_MAX) {
      return { protocolVersion, tools };
    }
    if (page === PAGES_MAX) return TOO_MANY_PAGES;
    listed = await send(toListRequest(nextCursor), LIST_LIMITS);
  }
};

const TOO_MANY_PAGES: McpFailure = {
  failure: 'error',
  status: null,
  message: `The MCP server lists its tools on more than ${PAGES_MAX} pages.`,
};

type Answered = {
  status: number;
  protocolVersion: string;
  result: Readonly<Record<string, unknown>>;
};

type Request = [endpoint: McpEndpoint, message: Message, limits: SendLimits, context: Context];

/** Sends a request once, in the revision that the server spoke last. */
const sendRequest = async (...request: Request): Promise<Answered | McpFailure> => {
  const [endpoint, message, limits, context] = request;
  if (LEGACY_VERSIONS.includes(endpoint.protocolVersion)) {
    return await withSession(endpoint, context, (send) => send(message, limits));
  }
  const sent = await requestModern(...request);
  return 'failure' in sent ? sent : toAnswered(sent, MODERN_VERSION);
};

const requestModern = async (
  ...[endpoint, message, limits, { caller, send }]: Request
): Promise<Sent> => {
  const modern = { ...message, params: { ...message.params, _meta: MODERN_META } };
  const headers = { ...limits.headers, ...toModernHeaders(message) };
  return await send(endpoint, modern, caller, { ...limits, headers });
};

const MODERN_META = {
  'io.modelcontextprotocol/protocolVersion': MODERN_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': {},
} as const;

const toModernHeaders = ({ method, params: { name } }: Message): Record<string, string> => ({
  'MCP-Protocol-Version': MODERN_VERSION,
  'Mcp-Method': method,
  ...(typeof name === 'string' ? { 'Mcp-Name': encodeHeaderValue(name) } : {}),
});

/**
 * Returns whether a server refused a modern request because it speaks an earlier revision only. An
 * error response of another code counts as well: servers of the official SDK before version 2
 * refuse a request without a session with -32000.
 */
const isLegacy = ({ status, response }: Exclude<Sent, McpFailure>): boolean => {
  if (status < 300) return false;
  const error = response && 'error' in response ? response.error : undefined;
  if (error?.code === UNSUPPORTED_VERSION) {
    const { supported } = (error.data ?? {}) as { supported?: unknown };
    return Array.isArray(supported) && supported.some((one) => LEGACY_VERSIONS.includes(one));
  }
  return !MODERN_ERRORS.includes(error?.code ?? 0) && error?.code !== METHOD_NOT_FOUND;
};

/** Sends a request to a server whose revision is known, in its session if it opened one. */
type SendOpened = (message: Message, limits: SendLimits) => Promise<Answered | McpFailure>;

/** Runs work after the handshake of the earlier revisions, and ends its session. */
const withSession = async <T>(
  endpoint: McpEndpoint,
  { caller, send, endSession: end }: Context,
  work: (send: SendOpened) => Promise<T | McpFailure>,
): Promise<T | McpFailure> => {
  const params = { protocolVersion: LEGACY_VERSION, capabilities: {}, clientInfo: CLIENT_INFO };
  const opening = { method: 'initialize', params };
  const opened = await send(endpoint, opening, caller, LIST_LIMITS);
  if ('failure' in opened) return opened;
  const { response, sessionId } = opened;
  const version = response && 'result' in response ? response.result.protocolVersion : undefined;
  if (typeof version !== 'string' || !LEGACY_VERSIONS.includes(version)) {
    return invalidAnswer(opened.status);
  }
  const headers = {
    'MCP-Protocol-Version': version,
    ...(sessionId === undefined ? {} : { 'Mcp-Session-Id': sessionId }),
  };
  const sendOpened: SendOpened = async (message, limits) => {
    const sent = await send(endpoint, message, caller, { ...limits, headers });
    return 'failure' in sent ? sent : toAnswered(sent, version);
  };
  try {
    const notified = await send(endpoint, INITIALIZED, caller, {
      headers,
      bytesMax: RESPONSE_BYTES_MAX,
    });
    return 'failure' in notified ? notified : await work(sendOpened);
  } finally {
    if (sessionId !== undefined) end(endpoint, headers);
  }
};

const INITIALIZED: Message = {
  method: 'notifications/initialized',
  params: {},
  isNotification: true,
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

const toAnswered = (
  { status, response }: Exclude<Sent, McpFailure>,
  protocolVersion: string,
): Answered | McpFailure => {
  if (!response) return invalidAnswer(status);
  if ('result' in response) return { status, protocolVersion, result: response.result };
  const { code } = response.error;
  const message = `The MCP server refused the request with the error ${code}.`;
  return { failure: 'error', status, message };
};

const invalidAnswer = (status: number): McpFailure => ({
  failure: 'error',
  status,
  message: `The server answered with HTTP status ${status}, but not as an MCP server.`,
});

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

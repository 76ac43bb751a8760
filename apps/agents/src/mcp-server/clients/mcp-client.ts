import { withSpan } from '@witan/service-kit';
import { VERSION } from '@witan/service-kit/release';
import type { McpCaller, McpClient, McpEndpoint, McpFailure } from '../mcp-server.ts';
import { encodeHeaderValue } from '../param-headers.ts';
import { LISTED_TOOLS_MAX } from '../read-tool-list.ts';
import { openMcpTransport, RESPONSE_BYTES_MAX, withDeadline } from './mcp-transport.ts';
import type { Message, SendLimits, Sent, Transport, TransportOptions } from './mcp-transport.ts';

const MODERN_VERSION = '2026-07-28';
const LEGACY_VERSION = '2025-11-25';
const LEGACY_VERSIONS: readonly unknown[] = [LEGACY_VERSION, '2025-06-18', '2025-03-26'];
/** Errors that only servers of the modern revision return. */
const MODERN_ERRORS: readonly number[] = [-32020, -32021, -32022];
const UNSUPPORTED_VERSION = -32022;
const METHOD_NOT_FOUND = -32601;

const LIST_BYTES_MAX = 1024 * 1024;
const PAGES_MAX = 10;
/** Timeout in milliseconds of listing all tools of a server: the handshake and each page. */
const LIST_TIMEOUT_MS = 30_000;
const CLIENT_INFO = { name: 'witan', version: VERSION } as const;

/**
 * Creates a client of MCP servers on the HTTP client that blocks forbidden addresses. Listing the
 * tools determines whether the server supports protocol revision 2026-07-28 or only earlier ones,
 * which need a handshake before each call. A tool call uses that revision and is never repeated in
 * another one: a server may have run the tool although it answered with an error. Each request has
 * a timeout of `timeoutMs`, and listing the tools one of 30 s in all.
 */
export const createMcpClient = (
  options: TransportOptions,
): McpClient & { close: () => Promise<void> } => {
  const transport = openMcpTransport(options);
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
    close: transport.close,
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

type Context = Transport & { caller: McpCaller };

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

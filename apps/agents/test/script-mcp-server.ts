import { openReceiver } from '@witan/testing';
import type { ReceivedRequest, Receiver } from '@witan/testing';
import type { TestCertificate } from '@witan/testing/create-test-certificate';

type RpcRequest = {
  id?: number;
  method: string;
  params: { name?: string; arguments?: object; cursor?: string; _meta?: object };
};

export type ListedTool = { name: string; description?: string; inputSchema: object };

/** An MCP server whose tools and results a test sets. */
export type ScriptedMcpServer = AsyncDisposable & {
  url: string;
  /** Revision that it speaks: modern, or those with a handshake. */
  era: 'modern' | 'legacy';
  tools: ListedTool[];
  /** Result of `tools/call`, or the text of the whole body. */
  result: object | string;
  streams: boolean;
  /** Number of tools on each page of the list; a cursor is valid in its own session only. */
  pageSize: number;
  requests: () => (ReceivedRequest & { rpc: RpcRequest })[];
  /** Number of sessions that were ended with DELETE. */
  sessionsEnded: () => number;
};

const PATH = '/mcp';
const SESSION = /^session-\d+$/;

/** Opens a scripted MCP server, over TLS if a certificate is given. */
export const openScriptedMcpServer = async (
  certificate?: TestCertificate,
): Promise<ScriptedMcpServer> => {
  const receiver: Receiver = await openReceiver(certificate);
  const server: ScriptedMcpServer = {
    url: receiver.urlOf(PATH),
    era: 'modern',
    tools: [],
    result: { resultType: 'complete', content: [{ type: 'text', text: 'done' }] },
    streams: false,
    pageSize: Infinity,
    requests: () =>
      receiver
        .requestsOf(PATH)
        .filter(({ method }) => method === 'POST')
        .map((request) => ({
          ...request,
          rpc: JSON.parse(request.body.toString()) as RpcRequest,
        })),
    sessionsEnded: () =>
      receiver
        .requestsOf(PATH)
        .filter(({ method, headers }) => method === 'DELETE' && isSession(headers)).length,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
  receiver.respond(PATH, (index, response) => {
    if (receiver.requestsOf(PATH).at(-1)!.method === 'DELETE') return 204;
    const { rpc, headers } = server.requests().at(-1)!;
    const { status, body, head = {} } = answer(server, rpc, { headers, index });
    if (typeof body === 'string') response.writeHead(status, head).end(body);
    else if (server.streams) {
      const event = `event: message\ndata: ${JSON.stringify(body)}\n\n`;
      response.writeHead(status, { 'content-type': 'text/event-stream', ...head });
      response.end(`: open\n\n${event}`);
    } else {
      response.writeHead(status, { 'content-type': 'application/json', ...head });
      response.end(JSON.stringify(body));
    }
    return 'wait';
  });
  return server;
};

type Reply = { status: number; body: object | string; head?: Record<string, string> };

const isSession = ({ 'mcp-session-id': session }: ReceivedRequest['headers']): boolean =>
  SESSION.test(String(session));

const answer = (
  { era, tools, result, pageSize }: ScriptedMcpServer,
  { id, method, params }: RpcRequest,
  { headers, index }: Pick<ReceivedRequest, 'headers'> & { index: number },
): Reply => {
  const toReply = (value: object, head = {}): Reply => ({
    status: 200,
    body: { jsonrpc: '2.0', id, result: value },
    head,
  });
  const isModern = headers['mcp-protocol-version'] === '2026-07-28';
  if (era === 'legacy') {
    if (method === 'initialize') {
      const opened = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: {} };
      return toReply(opened, { 'mcp-session-id': `session-${index}` });
    }
    if (isModern || !isSession(headers)) {
      const error = { code: -32000, message: 'Bad Request: No valid session ID provided' };
      return { status: 400, body: { jsonrpc: '2.0', id: null, error } };
    }
    if (id === undefined) return { status: 202, body: '' };
  }
  if (method === 'tools/list') {
    const session = String(headers['mcp-session-id']);
    const [owner = session, start = '0'] = params.cursor?.split(' ') ?? [];
    if (owner !== session) {
      const error = { code: -32602, message: 'The cursor belongs to another session' };
      return { status: 200, body: { jsonrpc: '2.0', id, error } };
    }
    const end = Number(start) + pageSize;
    const page = tools.slice(Number(start), end);
    const more = end < tools.length ? { nextCursor: `${session} ${end}` } : {};
    return toReply({ tools: page, ...more, ttlMs: 0, cacheScope: 'private' });
  }
  return typeof result === 'string' ? { status: 200, body: result } : toReply(result);
};

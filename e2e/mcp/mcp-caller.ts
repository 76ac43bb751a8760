import type { Caller } from '../http-client.ts';

export type ToolResult = {
  resultType?: string;
  content: { type: string; text: string }[];
  structuredContent?: unknown;
  isError?: boolean;
  taskId?: string;
  _meta: {
    'dev.witan/proof': { proofIds: string[]; payloadHash: string; keyId: string };
    'dev.witan/error': { code: string; details?: object[] };
  };
};

export type McpAnswer<R = unknown> = {
  status: number;
  /** The response as it was sent. */
  body: string;
  message: unknown;
  notifications: { method: string; params: Record<string, unknown> }[];
  /** Undefined if the response is an error. */
  result: R;
  error: { code: number; message: string } | undefined;
};

type Options = {
  capabilities?: object;
  meta?: object;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
};

export type McpCaller = {
  post: (
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<McpAnswer>;
  /** Sends a request of the revision 2026-07-28; `headers` replace those that mirror the body. */
  request: (method: string, params?: object, options?: Options) => Promise<McpAnswer>;
  callTool: (name: string, args: object, options?: Options) => Promise<McpAnswer<ToolResult>>;
  /** Calls a tool. Throws Error with the response if the call fails. */
  callSuccessfully: (name: string, args: object) => Promise<void>;
};

const VERSION = '2026-07-28';

export const createMcpCaller = ({ baseUrl, apiKey }: Caller): McpCaller => {
  const post: McpCaller['post'] = async (body, headers, signal) => {
    const response = await fetch(`${baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
      body,
      ...(signal && { signal }),
    });
    return toAnswer(response.status, await response.text());
  };
  const request: McpCaller['request'] = async (method, params = {}, options = {}) => {
    const { capabilities = {}, meta = {}, headers, signal } = options;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      ...meta,
    };
    const { name, uri, taskId } = params as Record<string, string | undefined>;
    const mirrored = name ?? uri ?? taskId;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
    return await post(
      body,
      {
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...(mirrored === undefined ? {} : { 'mcp-name': mirrored }),
        ...headers,
      },
      signal,
    );
  };
  const callTool: McpCaller['callTool'] = async (name, args, options) =>
    (await request('tools/call', { name, arguments: args }, options)) as McpAnswer<ToolResult>;
  return {
    post,
    request,
    callTool,
    callSuccessfully: async (name, args) => {
      const { body, result } = await callTool(name, args);
      const isDone = result?.content !== undefined && result.isError !== true;
      if (!isDone) throw new Error(`The tool ${name} failed: ${body}`);
    },
  };
};

const toAnswer = (status: number, body: string): McpAnswer => {
  const texts = body.startsWith('{')
    ? [body]
    : body
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice('data: '.length));
  const messages = texts.map((text) => JSON.parse(text) as Message);
  const message = messages.at(-1);
  return {
    status,
    body,
    message,
    notifications: messages.filter(({ method }) => method !== undefined) as never,
    result: message?.result,
    error: message?.error,
  };
};

type Message = {
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
};

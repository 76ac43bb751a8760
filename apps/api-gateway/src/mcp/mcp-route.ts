import { isUtf8 } from 'node:buffer';
import { isServiceError } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import type { Log } from '@witan/service-kit';
import { toPublicError } from '@witan/service-kit';
import type { RequiredScope } from '../auth/scope.ts';
import { checkJson } from '../http/check-json.ts';
import { encodeNativeError, ValidationError } from '../http/encode-native-error.ts';
import type { Reply, Route, RouteCall } from '../http/route.ts';
import { abortReasonOf } from '../http/route.ts';
import type { Envelope } from './envelope.ts';
import { readEnvelope } from './envelope.ts';
import { SERVER_INFO } from './handshake.ts';
import {
  isObject,
  parseRpcMessage,
  RPC_CODES,
  RpcError,
  toRpcError,
  toRpcResult,
} from './json-rpc.ts';
import type { RpcMessage, RpcRequest } from './json-rpc.ts';
import type { McpCall, McpMethods, McpResult } from './mcp-method.ts';
import { MCP_HEADERS, MCP_MESSAGE, MCP_RESPONSE } from './mcp-schema.ts';
import { respondRpc } from './respond-rpc.ts';
import { toRpcFailure } from './route-result.ts';
import { toErrorResult } from './tool-result.ts';
import { verifyOrigin } from './verify-origin.ts';

export type McpRouteDeps = {
  /** The scopes of which the methods need one. */
  scopes: readonly RequiredScope[];
  /** Methods of the modern revision, and those of earlier ones. */
  methods: Readonly<Record<Envelope['era'], McpMethods>>;
  /** Origins of web pages that may call, such as `https://app.example.com`. */
  allowedOrigins: readonly string[];
  log: Log;
};

/** Returns the endpoint of the Model Context Protocol. */
export const mcpRoute = (deps: McpRouteDeps): Route => ({
  id: 'callMcp',
  method: 'post',
  path: '/mcp',
  surface: 'native',
  tag: 'MCP',
  summary: 'The tools, resources and prompts of this API for MCP clients',
  description:
    'One message of the Model Context Protocol, revision 2026-07-28; clients of 2025-11-25, ' +
    '2025-06-18 and 2025-03-26 are answered without a session. Each tool needs the scope of the ' +
    'operation that it calls, and only those are listed. With ' +
    '`_meta["dev.witan/idempotencyKey"]` or the header `Idempotency-Key`, a repeated tool ' +
    'call has one effect. A client that closes the stream cancels the call.',
  scopes: deps.scopes,
  headers: MCP_HEADERS,
  // The handler parses the body itself, so that an invalid one is an error of JSON-RPC.
  body: MCP_MESSAGE,
  uploads: { 'application/json': MCP_MESSAGE },
  wantsStream: () => true,
  responses: {
    200: {
      description:
        'The response to the request, as one JSON body or as the last event of a stream that ' +
        'begins with notifications of its progress',
      schema: MCP_RESPONSE,
      streamedAs: 'text/event-stream',
    },
    202: { description: 'The message was a notification' },
    400: { description: 'The message, its metadata or a header is wrong', schema: MCP_RESPONSE },
    403: {
      description: 'The page that calls is of an origin that is not allowed',
      schema: MCP_RESPONSE,
    },
    404: { description: 'There is no such method', schema: MCP_RESPONSE },
  },
  handle: (call) => handleMessage(call, deps),
});

const handleMessage = async (call: RouteCall, deps: McpRouteDeps): Promise<Reply | undefined> => {
  let message: RpcMessage | undefined;
  try {
    verifyOrigin(call.request.get('origin'), deps.allowedOrigins);
    message = parseRpcMessage(parseBody(call.source));
    const envelope = readEnvelope(message, call.request);
    // Notifications of clients, such as the end of the handshake, need no action.
    if (message.id === undefined) return { status: 202, text: '' };
    const method = findMethod(message, envelope, deps);
    return await runMethod(message, { envelope, call, method }, deps);
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { status: error.status, json: toRpcError(message?.id, error) };
  }
};

const parseBody = (source: Uint8Array): unknown => {
  const invalid = (message: string): RpcError =>
    new RpcError(RPC_CODES.parseError, message, { status: 400 });
  if (!isUtf8(source)) throw invalid('The body is not valid UTF-8.');
  const text = Buffer.from(source).toString('utf8');
  try {
    checkJson(text, 'native');
    return JSON.parse(text);
  } catch (error) {
    throw invalid(isServiceError(error) ? error.message : 'The body is not valid JSON.');
  }
};

const findMethod = (
  { method }: RpcMessage,
  { era }: Envelope,
  { methods }: McpRouteDeps,
): McpMethods[string] => {
  const found = Object.hasOwn(methods[era], method) ? methods[era][method] : undefined;
  if (found) return found;
  // Earlier clients take a 404 for the end of their session.
  const status = era === 'modern' ? 404 : 200;
  throw new RpcError(RPC_CODES.methodNotFound, 'Method not found', { status });
};

type Run = Pick<McpCall, 'envelope' | 'call'> & { method: McpMethods[string] };

const runMethod = async (
  request: RpcRequest,
  { method, call, envelope }: Run,
  deps: McpRouteDeps,
): Promise<Reply | undefined> =>
  await respondRpc(call, async (notify) => {
    const { id, params } = request;
    try {
      const result = await method({ params, envelope, call, notify });
      return { status: 200, message: toRpcResult(id, complete(result, envelope)) };
    } catch (error) {
      if (error instanceof RpcError)
        return { status: error.status, message: toRpcError(id, error) };
      return { status: 200, message: toFailureMessage(error, request, call, deps, envelope) };
    }
  });

/** Adds the members that every result of the modern revision has. */
const complete = (result: McpResult, { era }: Envelope): object => {
  if (era === 'legacy') {
    const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...members } = result;
    return members;
  }
  const meta = isObject(result._meta) ? result._meta : {};
  return {
    resultType: 'complete',
    ...result,
    _meta: { ...meta, 'io.modelcontextprotocol/serverInfo': SERVER_INFO },
  };
};

/**
 * Returns the response for a failure. One that the caller can handle is a failed call of a tool, so
 * that a model reads it; of another method it is an error. Anything else is a bug: it is logged,
 * and the response does not describe it.
 */
const toFailureMessage = (
  error: unknown,
  { id, method }: RpcRequest,
  call: RouteCall,
  { log }: McpRouteDeps,
  envelope: Envelope,
): object => {
  const failure: ServiceError = abortReasonOf(call.signal) ?? toPublicError(error);
  const { requestId } = call;
  if (failure.reason === 'INTERNAL') {
    log.error(
      { event: 'mcp_method_failed', err: error, requestId, method },
      'MCP method failed with an unexpected error',
    );
    const { internalError: code } = RPC_CODES;
    return toRpcError(id, { code, message: failure.message, data: undefined });
  }
  call.response.locals.reason = failure.reason;
  const details = error instanceof ValidationError ? { details: error.invalidFields } : {};
  const { status, body } = encodeNativeError(failure, { requestId, ...details });
  return method === 'tools/call'
    ? toRpcResult(id, complete(toErrorResult(body.error), envelope))
    : toRpcError(id, toRpcFailure(status, body.error));
};

/** Codes of JSON-RPC 2.0 and of MCP revision 2026-07-28. */
export const RPC_CODES = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
  /** Unknown resource in the revisions before 2026-07-28. */
  legacyResourceNotFound: -32002,
} as const;

type RpcCode = (typeof RPC_CODES)[keyof typeof RPC_CODES];

export type RpcId = string | number;

export type RpcParams = Readonly<Record<string, unknown>>;

export type RpcRequest = { id: RpcId; method: string; params: RpcParams };

/** A message without an id gets no response. */
export type RpcMessage = RpcRequest | { id: undefined; method: string; params: RpcParams };

export type RpcNotification = { method: string; params: RpcParams };

/** An error of the protocol; `status` is that of the HTTP response if nothing was sent yet. */
export class RpcError extends Error {
  readonly code: RpcCode;
  readonly status: number;
  readonly data: unknown;

  constructor(
    code: RpcCode,
    message: string,
    { status = 200, data }: { status?: number; data?: unknown } = {},
  ) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export const invalidParams = (message: string): RpcError =>
  new RpcError(RPC_CODES.invalidParams, message);

/** Returns whether a value is a JSON object. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the JSON-RPC request or notification that a parsed body is. Throws RpcError
 * `invalidRequest` with status 400 for anything else, such as a response or a batch.
 */
export const parseRpcMessage = (body: unknown): RpcMessage => {
  const { jsonrpc, id, method, params = {} } = isObject(body) ? body : {};
  const isId = id === undefined || typeof id === 'string' || Number.isSafeInteger(id);
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId || !isObject(params)) {
    throw new RpcError(
      RPC_CODES.invalidRequest,
      'The body must be one JSON-RPC 2.0 request or notification.',
      { status: 400 },
    );
  }
  return { id: id as RpcId, method, params };
};

export const toRpcResult = (id: RpcId, result: object): object => ({ jsonrpc: '2.0', id, result });

export const toRpcNotification = ({ method, params }: RpcNotification): object => ({
  jsonrpc: '2.0',
  method,
  params,
});

/** Returns an error response; it has no id if the message's could not be read. */
export const toRpcError = (
  id: RpcId | undefined,
  { code, message, data }: Pick<RpcError, 'code' | 'message' | 'data'>,
): object => ({
  jsonrpc: '2.0',
  ...(id === undefined ? {} : { id }),
  error: { code, message, ...(data === undefined ? {} : { data }) },
});

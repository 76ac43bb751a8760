import { isObject, RPC_CODES, RpcError } from './json-rpc.ts';

/** What an operation answered to a call of another one. */
export type RouteResult = {
  status: number;
  headers: Readonly<Record<string, string>>;
  /** The response, or the native error if the status is 400 or above. */
  json: unknown;
};

export const isFailure = ({ status }: RouteResult): boolean => status >= 400;

/** Returns the native error of a failed call. */
export const errorOf = ({ json }: RouteResult): unknown =>
  isObject(json) ? json.error : undefined;

/** Returns the response of a call. Throws its failure as RpcError with the native error as data. */
export const unwrap = (result: RouteResult): unknown => {
  if (!isFailure(result)) return result.json;
  throw toRpcFailure(result.status, errorOf(result) as { message: string });
};

/**
 * Returns a native error as an error of the protocol: that of invalid parameters, of a request that
 * the caller may not make (now), or of a failure of this system.
 */
export const toRpcFailure = (status: number, error: { message: string }): RpcError => {
  const { invalidParams, invalidRequest, internalError } = RPC_CODES;
  const callerCode = status === 400 || status === 404 ? invalidParams : invalidRequest;
  return new RpcError(status < 500 ? callerCode : internalError, error.message, { data: error });
};

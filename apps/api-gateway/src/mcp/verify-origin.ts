import { RPC_CODES, RpcError } from './json-rpc.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Throws RpcError with status 403 if a browser sends the request from a page whose origin is not
 * allowed. Only browsers send `Origin`; pages of this machine are allowed, because a page that DNS
 * rebinding directs here keeps the origin of its own host. The header `Host` is not considered: the
 * attacker chooses it.
 */
export const verifyOrigin = (origin: string | undefined, allowed: readonly string[]): void => {
  if (origin === undefined || allowed.includes(origin)) return;
  if (LOOPBACK.has(URL.parse(origin)?.hostname ?? '')) return;
  throw new RpcError(RPC_CODES.invalidRequest, 'This origin is not allowed.', { status: 403 });
};

import type { RouteCall } from '../http/route.ts';
import type { Envelope } from './envelope.ts';
import type { RpcNotification, RpcParams } from './json-rpc.ts';

/** A request of a client whose key, origin and metadata were verified. */
export type McpCall = {
  params: RpcParams;
  envelope: Envelope;
  /** The HTTP call; its body is not parsed. */
  call: RouteCall;
  /** Sends a notification that belongs to this request; the response becomes a stream. */
  notify: (notification: RpcNotification) => void;
};

/**
 * Answers a method with the members of its result. Rejects with RpcError for an error of the
 * protocol.
 */
export type McpMethod = (mcpCall: McpCall) => Promise<McpResult>;

export type McpResult = { resultType?: 'complete' | 'input_required' | 'task' } & Readonly<
  Record<string, unknown>
>;

export type McpMethods = Readonly<Record<string, McpMethod>>;

/** Caching hints of lists and reads: only for the caller, because they depend on its key. */
export const cachedFor = (ttlMs: number) => ({ ttlMs, cacheScope: 'private' }) as const;

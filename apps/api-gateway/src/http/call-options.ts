import type { CallOptions } from '@witan/service-kit';
import type { RouteCall } from './route.ts';

export const CALL_TIMEOUT_MS = 10_000;
/**
 * Timeout of a token count, which calls a provider; the llm-gateway returns an estimate if the
 * provider times out earlier.
 */
export const COUNT_TIMEOUT_MS = 30_000;
/** Timeout of a webhook test; the receiver itself has 10 s to respond. */
export const WEBHOOK_TEST_TIMEOUT_MS = 15_000;
/**
 * Timeout of listing the tools of an MCP server, which takes up to 30 s, and up to 4 s more for a
 * free connection. The rest is for checking the schemas.
 */
export const MCP_SERVER_TIMEOUT_MS = 60_000;
/**
 * Timeout of a tool test. A request waits up to 4 s for a free connection and then up to 15 s for
 * the response. A tool of an MCP server takes up to three requests, and its server may have to list
 * its tools first.
 */
export const TOOL_TEST_TIMEOUT_MS = MCP_SERVER_TIMEOUT_MS + 60_000;
/**
 * Timeout of adding or deleting a document: parsing takes up to a minute, as does deleting a long
 * document.
 */
export const ADD_DOCUMENT_TIMEOUT_MS = 90_000;
/** Time for the tool calls and further model calls of a chat turn, beyond its first completion. */
export const TURN_MARGIN_MS = 90_000;
export const SIMULATION_WAIT_MS = 120_000;
/**
 * Timeout of a computation: a forecast makes up to ten thousand runs of forty years, a replay
 * covers the whole history of a scenario.
 */
export const COMPUTE_TIMEOUT_MS = 60_000;

export const optionsOf = ({ principal, requestId, signal }: RouteCall): CallOptions => ({
  workspaceId: principal!.workspaceId,
  requestId,
  actorId: principal!.keyId,
  signal,
  timeoutMs: CALL_TIMEOUT_MS,
});

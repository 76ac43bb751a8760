import { parseExactly } from '@witan/dialects';
import { grantsAny } from '../auth/scope.ts';
import { invalidParams, isObject } from './json-rpc.ts';
import { cachedFor } from './mcp-method.ts';
import type { McpCall, McpMethods } from './mcp-method.ts';
import { describeTool } from './tool.ts';
import type { Tool, ToolCall } from './tool.ts';

const TOOLS_TTL_MS = 300_000;
const IDEMPOTENCY_META = 'dev.witan/idempotencyKey';

/** Returns the methods `tools/list`, which lists what the key may call, and `tools/call`. */
export const createToolMethods = (tools: readonly Tool[]): McpMethods => ({
  'tools/list': async ({ call }) => {
    const { scopes } = call.principal!;
    const allowed = tools.filter((tool) => grantsAny(scopes, tool.scopes));
    return { tools: allowed.map(describeTool), ...cachedFor(TOOLS_TTL_MS) };
  },
  'tools/call': async (mcpCall) => {
    const { name } = mcpCall.params;
    const tool = tools.find((one) => one.name === name);
    if (!tool) throw invalidParams(`There is no tool ${JSON.stringify(name)}.`);
    return await tool.run(toToolCall(mcpCall));
  },
});

const toToolCall = (mcpCall: McpCall): ToolCall => {
  const { params, call } = mcpCall;
  const { arguments: args = {} } = params;
  if (!isObject(args)) throw invalidParams('arguments must be an object.');
  return {
    ...mcpCall,
    args,
    argsTextWithout: (names) => {
      const message = parseExactly(Buffer.from(call.source).toString()) as ExactMessage;
      const members = Object.entries(message.params.arguments ?? {});
      return JSON.stringify(Object.fromEntries(members.filter(([name]) => !names.includes(name))));
    },
    idempotencyKey: readIdempotencyKey(mcpCall),
  };
};

type ExactMessage = { params: { arguments?: Record<string, unknown> } };

/**
 * Returns the idempotency key of a call: that of its metadata, which models' clients can set for
 * each call, else that of the header.
 */
const readIdempotencyKey = ({ params: { _meta: meta }, call }: McpCall): string | undefined => {
  const key = isObject(meta) ? meta[IDEMPOTENCY_META] : undefined;
  if (key === undefined) return call.request.get('idempotency-key');
  if (typeof key === 'string') return key;
  throw invalidParams(`_meta.${IDEMPOTENCY_META} must be a text.`);
};

import { text } from '../http/schema.ts';
import type { JsonSchema } from '../http/route.ts';

const id = { type: ['string', 'integer'] } as const;
const version = { const: '2.0' } as const;

export const MCP_MESSAGE: JsonSchema = {
  type: 'object',
  required: ['jsonrpc', 'method'],
  properties: {
    jsonrpc: version,
    id: { ...id, description: 'Absent: a notification' },
    method: { ...text, description: 'Such as `tools/call`' },
    params: {
      type: 'object',
      description: 'With `_meta`: the revision and the capabilities of the client',
    },
  },
};

export const MCP_RESPONSE: JsonSchema = {
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: version,
    id,
    result: { type: 'object' },
    error: {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'integer' }, message: text, data: {} },
    },
  },
};

/** Headers that mirror members of the message. */
export const MCP_HEADERS: Readonly<Record<string, JsonSchema>> = {
  'MCP-Protocol-Version': { ...text, description: 'As in `_meta`, `2026-07-28`' },
  'Mcp-Method': { ...text, description: 'As `method`' },
  'Mcp-Name': { ...text, description: 'As `params.name`, `params.uri` or `params.taskId`' },
  'Idempotency-Key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description: 'Of tool calls with the same key and arguments one is carried out within 24 h',
  },
};

import { closedObject, dateTime, text, texts } from '../../http/schema.ts';
import { pageSchema } from '../list-page.ts';

const NAME_LENGTH_MAX = 32;
const URL_LENGTH_MAX = 2_048;
const HEADERS_MAX = 16;
const VALUE_LENGTH_MAX = 4_096;

export const NEW_MCP_SERVER = {
  type: 'object',
  required: ['name', 'url'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: NAME_LENGTH_MAX,
      pattern: '^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$',
      description: 'Its tools are named `<name>__<tool>`; unique in the workspace',
      examples: ['tickets'],
    },
    url: {
      type: 'string',
      minLength: 1,
      maxLength: URL_LENGTH_MAX,
      description: 'A public https endpoint that speaks MCP over Streamable HTTP',
      examples: ['https://tickets.example.com/mcp'],
    },
    headers: {
      type: 'object',
      maxProperties: HEADERS_MAX,
      // A member of this name sets the prototype of an object, so that the header would be lost.
      propertyNames: { pattern: '^(?!__proto__$)' },
      additionalProperties: { type: 'string', minLength: 1, maxLength: VALUE_LENGTH_MAX },
      description: 'Sent with every request, such as `Authorization`; never shown again',
    },
  },
} as const;

const definition = closedObject({
  description: text,
  parameters: { type: 'object', description: 'JSON Schema of the arguments' },
  headerParams: {
    type: 'array',
    description: 'Arguments that the server is sent in headers, too, where proxies can read them',
    items: closedObject({
      path: { ...texts, description: 'Names of the properties that lead to the argument' },
      header: { ...text, examples: ['mcp-param-region'] },
    }),
  },
});

const mcpTool = closedObject(
  {
    id: { ...text, description: 'Id of the tool, by which it is linked to agents' },
    name: text,
    state: {
      enum: ['accepted', 'added', 'changed', 'removed', 'unusable'],
      description: 'Agents are offered accepted tools only',
    },
  },
  {
    accepted: { ...definition, description: 'As it was accepted; absent on one that never was' },
    listed: { ...definition, description: 'As the server lists it now; absent if it does not' },
    problem: { ...text, description: 'Why it cannot be used' },
  },
);

const mcpServer = closedObject({
  id: text,
  name: text,
  url: text,
  headerNames: texts,
  protocolVersion: { ...text, description: 'Revision of MCP that the server spoke last' },
  snapshotHash: {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
    description: 'Of the tools that the server lists; accepting names it',
  },
  refreshedAt: dateTime,
  createdAt: dateTime,
  tools: { type: 'array', items: mcpTool },
});

export const MCP_SERVER = closedObject({ server: mcpServer });

export const MCP_SERVERS = pageSchema('servers', mcpServer);

export const MCP_ACCEPTANCE = {
  type: 'object',
  required: ['snapshotHash'],
  properties: {
    snapshotHash: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: '`snapshotHash` of the server as it was shown',
    },
  },
} as const;

import { pageSchema } from '../list-page.ts';
import { FUNCTION_NAME, NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, dateTime, flag, readOnly, text } from '../../http/schema.ts';

const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 4_000;
const ID_LENGTH_MAX = 80;
const AGENTS_MAX = 500;

const REQUEST_MEMBERS = {
  name: {
    type: 'string',
    pattern: FUNCTION_NAME,
    description: "The function's name for the model; unique in the workspace",
    examples: ['get_weather'],
  },
  description: {
    type: 'string',
    maxLength: DESCRIPTION_LENGTH_MAX,
    pattern: NON_BLANK_TEXT,
    description: 'By it the model decides whether to call the tool',
    examples: ['The weather of a city, now or on one of the next seven days'],
  },
  parameters: {
    type: 'object',
    description:
      'JSON Schema (2020-12, or draft-07 if `$schema` says so) of the arguments: `type` is ' +
      '`object`, at most 16,384 characters, 64 levels deep, references within it only. Formats ' +
      'are shown to models and not checked',
    examples: [
      {
        type: 'object',
        required: ['city'],
        properties: { city: text, day: { type: 'integer', minimum: 0, maximum: 7 } },
      },
    ],
  },
  url: {
    type: 'string',
    minLength: 1,
    maxLength: URL_LENGTH_MAX,
    description: 'A public https endpoint, which gets a signed POST {tool, arguments}',
    examples: ['https://tools.example.com/weather'],
  },
} as const;

export const NEW_TOOL = {
  type: 'object',
  required: ['name', 'description', 'parameters', 'url'],
  properties: {
    ...REQUEST_MEMBERS,
    agentIds: {
      type: 'array',
      maxItems: AGENTS_MAX,
      items: { type: 'string', maxLength: ID_LENGTH_MAX },
      description: 'Agents that may call it',
    },
  },
} as const;

export const TOOL_CHANGE = {
  type: 'object',
  properties: {
    ...REQUEST_MEMBERS,
    isActive: { type: 'boolean', description: 'False: no agent is offered it or can call it' },
    id: readOnly,
    createdAt: readOnly,
    agents: readOnly,
    mcpServerId: readOnly,
  },
} as const;

const RESPONSE_MEMBERS = {
  id: text,
  name: text,
  description: text,
  parameters: { type: 'object' },
  url: text,
  isActive: flag,
  createdAt: dateTime,
} as const;

const MCP_MEMBERS = {
  mcpServerId: { ...text, description: 'The MCP server that defines the tool, if one does' },
} as const;

const toolSchema = closedObject(RESPONSE_MEMBERS, MCP_MEMBERS);

export const TOOL = closedObject({
  tool: closedObject(
    {
      ...RESPONSE_MEMBERS,
      agents: { type: 'array', items: closedObject({ id: text, name: text }) },
    },
    MCP_MEMBERS,
  ),
});

export const TOOL_WITH_SECRET = closedObject({
  tool: toolSchema,
  secret: {
    type: 'string',
    pattern: '^tlsec_[A-Za-z0-9+/]{43}=$',
    description: 'Signs what is sent: the whole text is the key; shown once',
  },
});

export const TOOLS = pageSchema('tools', toolSchema);

export const TOOL_TEST = {
  type: 'object',
  properties: {
    arguments: { type: 'object', description: 'As a model would give them; none by default' },
  },
} as const;

export const TOOL_TEST_RESULT = closedObject({
  success: flag,
  status: { enum: ['ok', 'error', 'timeout'] },
  httpStatus: {
    type: ['integer', 'null'],
    description: 'Null: nothing answered, or nothing was sent',
  },
  durationMs: { type: 'number', minimum: 0 },
  result: { description: 'The JSON that the tool answered; null when there is an error' },
  error: { type: ['string', 'null'], description: 'What a model would be told went wrong' },
});

export const NEW_TOOL_LINK = {
  type: 'object',
  required: ['toolId'],
  properties: { toolId: { type: 'string', maxLength: ID_LENGTH_MAX } },
} as const;

export const TOOL_LINK = closedObject({ agentId: text, toolId: text });

export const TOOL_RUN = closedObject({
  id: { ...text, description: "The model's own id of the call" },
  toolId: { type: ['string', 'null'], description: 'Null: the agent has no tool of this name' },
  name: text,
  arguments: { description: 'An object; the text that the model wrote where it wrote none' },
  round: {
    type: 'integer',
    minimum: 0,
    description: 'Which answer of the model asked for it, from 1; 0 in a test',
  },
  status: { enum: ['ok', 'error', 'timeout'] },
  httpStatus: { type: ['integer', 'null'], description: 'Null: nothing answered' },
  durationMs: { type: 'number', minimum: 0, description: 'Milliseconds; 0: nothing was sent' },
  result: { description: 'What the tool answered; null: an error' },
  error: { type: ['string', 'null'], description: 'As the model was told; null: it went well' },
});

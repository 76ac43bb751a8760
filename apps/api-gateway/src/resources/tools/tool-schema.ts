import type { JsonSchema } from '../../http/route.ts';
import { closedObject } from '../closed-object.ts';
import { pageSchema } from '../list-page.ts';
import { FUNCTION_NAME, NON_BLANK_TEXT } from '../../http/text-pattern.ts';

const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 4_000;
const ID_LENGTH_MAX = 80;
const AGENTS_MAX = 500;

const text: JsonSchema = { type: 'string' };
const instant: JsonSchema = { type: 'string', format: 'date-time' };
const readOnly: JsonSchema = { readOnly: true };

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
        properties: { city: { type: 'string' }, day: { type: 'integer', minimum: 0, maximum: 7 } },
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

export const NEW_TOOL: JsonSchema = {
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
};

export const TOOL_CHANGE: JsonSchema = {
  type: 'object',
  properties: {
    ...REQUEST_MEMBERS,
    isActive: { type: 'boolean', description: 'False: no agent is offered it or can call it' },
    id: readOnly,
    createdAt: readOnly,
    agents: readOnly,
  },
};

const RESPONSE_MEMBERS = {
  id: text,
  name: text,
  description: text,
  parameters: { type: 'object' },
  url: text,
  isActive: { type: 'boolean' },
  createdAt: instant,
} as const;

const toolSchema = closedObject(RESPONSE_MEMBERS);

export const TOOL: JsonSchema = closedObject({
  tool: closedObject({
    ...RESPONSE_MEMBERS,
    agents: { type: 'array', items: closedObject({ id: text, name: text }) },
  }),
});

export const TOOL_WITH_SECRET: JsonSchema = closedObject({
  tool: toolSchema,
  secret: {
    type: 'string',
    pattern: '^tlsec_[A-Za-z0-9+/]{43}=$',
    description: 'Signs what is sent: the whole text is the key; shown once',
  },
});

export const TOOLS: JsonSchema = pageSchema('tools', toolSchema);

export const TOOL_TEST: JsonSchema = {
  type: 'object',
  properties: {
    arguments: { type: 'object', description: 'As a model would give them; none by default' },
  },
};

export const TOOL_TEST_RESULT: JsonSchema = closedObject({
  success: { type: 'boolean' },
  status: { enum: ['ok', 'error', 'timeout'] },
  httpStatus: {
    type: ['integer', 'null'],
    description: 'Null: nothing answered, or nothing was sent',
  },
  durationMs: { type: 'number', minimum: 0 },
  result: { description: 'The JSON that the tool answered; null when there is an error' },
  error: { type: ['string', 'null'], description: 'What a model would be told went wrong' },
});

export const NEW_TOOL_LINK: JsonSchema = {
  type: 'object',
  required: ['toolId'],
  properties: { toolId: { type: 'string', maxLength: ID_LENGTH_MAX } },
};

export const TOOL_LINK: JsonSchema = closedObject({ agentId: text, toolId: text });

import { MEMORY_FLAGS } from '../agent-memory/agent-memory-schema.ts';
import { CONTEXT_ITEMS } from './context-item.ts';
import { EXTRACTED, EXTRACTION_CATEGORIES } from '../extracted-data/extracted-data-schema.ts';
import { NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { TOOL_RUN } from '../tools/tool-schema.ts';
import { closedObject, count, flag, text } from '../../http/schema.ts';

const MESSAGE_LENGTH_MAX = 32_000;
const SHAPE_LENGTH_MAX = 16_000;
const FIELDS_MAX = 100;
const FIELD_NAME_LENGTH_MAX = 128;
const FIELD_LENGTH_MAX = 2_000;
const TOOLS_MAX = 100;

const responseFormat = {
  type: 'object',
  properties: {
    type: { enum: ['json', 'text'], description: 'By default text' },
    fields: {
      type: 'object',
      maxProperties: FIELDS_MAX,
      propertyNames: { minLength: 1, maxLength: FIELD_NAME_LENGTH_MAX },
      additionalProperties: { type: 'string', maxLength: FIELD_LENGTH_MAX },
      description: 'What `contentParsed` has: names, and what each of them is',
    },
    schema: {
      ...text,
      maxLength: SHAPE_LENGTH_MAX,
      description: 'The same in words, in place of fields',
    },
  },
} as const;

export const AGENT_CHAT = {
  type: 'object',
  required: ['message'],
  properties: {
    message: {
      type: 'string',
      maxLength: MESSAGE_LENGTH_MAX,
      pattern: NON_BLANK_TEXT,
    },
    sessionId: {
      type: ['string', 'null'],
      description: 'Where to go on; without it a new session begins',
    },
    context: { ...CONTEXT_ITEMS, description: 'Shown to the agent in this call only' },
    extraction: {
      type: 'object',
      description: 'Has facts read out of the message',
      properties: {
        categories: { ...EXTRACTION_CATEGORIES, description: 'Absent: any' },
        persist: { ...flag, description: 'By default true' },
      },
    },
    options: {
      type: 'object',
      properties: {
        reflection: { ...flag, description: 'Think first; the answer has `thoughts` then' },
        temperature: { type: 'number', minimum: 0, maximum: 2, description: 'By default 0.8' },
        maxTokens: {
          type: 'integer',
          minimum: 100,
          maximum: 4_000,
          description: 'Of the answer, by default 1500: reasoning before it is not counted',
        },
      },
    },
    responseFormat,
    tools: {
      type: 'object',
      properties: {
        enabled: { ...flag, description: 'By default false' },
        toolIds: {
          type: 'array',
          maxItems: TOOLS_MAX,
          items: text,
          description: "A part of the agent's linked tools",
        },
      },
    },
  },
} as const;

export const TOKEN_USAGE = closedObject({
  promptTokens: count,
  completionTokens: count,
  totalTokens: count,
});

export const FINISH_REASON = {
  enum: ['stop', 'length', 'content_filter', 'tool_calls', 'error'],
  description: '`length`: the answer was cut off at its limit',
} as const;

const REQUIRED_MEMBERS = {
  agentId: text,
  agentName: text,
  agentRole: text,
  content: { ...text, description: 'What the agent says to the user, and nothing else' },
  contentParsed: {
    type: ['object', 'null'],
    description: 'Null unless json was asked for',
  },
  finishReason: FINISH_REASON,
  sessionId: text,
  memoriesSaved: {
    type: 'array',
    items: closedObject({ key: text, value: text, type: text }, MEMORY_FLAGS),
  },
  extracted: EXTRACTED,
  tokenUsage: TOKEN_USAGE,
  toolCalls: { type: 'array', items: TOOL_RUN },
} as const;

export const AGENT_CHAT_RESPONSE = closedObject(REQUIRED_MEMBERS, {
  thoughts: { ...text, description: 'Its reasoning, when reflection was asked for' },
});

import type { JsonSchema } from '../../http/route.ts';

const MESSAGES: JsonSchema = {
  type: 'array',
  minItems: 1,
  items: {
    type: 'object',
    required: ['role', 'content'],
    properties: {
      role: { enum: ['user', 'assistant', 'system'] },
      content: { type: ['string', 'array'] },
    },
  },
};

export const COUNT_REQUEST: JsonSchema = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'An address, as for `POST /v1/chat/completions`',
    },
    messages: MESSAGES,
    system: { type: ['string', 'array'] },
    tools: { type: 'array' },
  },
};

/**
 * Schema of the members that routing and certification read. Others are passed on, and the provider
 * validates them.
 */
export const MESSAGES_REQUEST: JsonSchema = {
  ...COUNT_REQUEST,
  properties: {
    ...(COUNT_REQUEST.properties as object),
    max_tokens: { type: 'integer', minimum: 1 },
    stream: { type: ['boolean', 'null'] },
    stop_sequences: { type: ['array', 'null'], items: { type: 'string' } },
  },
};

export const MESSAGE: JsonSchema = {
  type: 'object',
  required: ['type', 'role', 'content', 'usage'],
  properties: {
    id: { type: 'string' },
    type: { const: 'message' },
    role: { const: 'assistant' },
    model: { type: 'string' },
    content: {
      type: 'array',
      items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
    },
    stop_reason: { type: ['string', 'null'] },
    stop_sequence: { type: ['string', 'null'] },
    usage: {
      type: 'object',
      required: ['input_tokens', 'output_tokens'],
      properties: {
        input_tokens: { type: 'integer', minimum: 0 },
        output_tokens: { type: 'integer', minimum: 0 },
      },
    },
  },
};

export const COUNT_RESPONSE: JsonSchema = {
  type: 'object',
  required: ['input_tokens'],
  properties: { input_tokens: { type: 'integer', minimum: 0 } },
};

import { count, nullableText, text } from '../../http/schema.ts';

const MESSAGES = {
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
} as const;

export const COUNT_REQUEST = {
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
} as const;

/**
 * Schema of the members that routing and certification read. Others are passed on, and the provider
 * validates them.
 */
export const MESSAGES_REQUEST = {
  ...COUNT_REQUEST,
  properties: {
    ...(COUNT_REQUEST.properties as object),
    max_tokens: { type: 'integer', minimum: 1 },
    stream: { type: ['boolean', 'null'] },
    stop_sequences: { type: ['array', 'null'], items: text },
  },
} as const;

export const MESSAGE = {
  type: 'object',
  required: ['type', 'role', 'content', 'usage'],
  properties: {
    id: text,
    type: { const: 'message' },
    role: { const: 'assistant' },
    model: text,
    content: {
      type: 'array',
      items: { type: 'object', required: ['type'], properties: { type: text } },
    },
    stop_reason: nullableText,
    stop_sequence: nullableText,
    usage: {
      type: 'object',
      required: ['input_tokens', 'output_tokens'],
      properties: {
        input_tokens: count,
        output_tokens: count,
      },
    },
  },
} as const;

export const COUNT_RESPONSE = {
  type: 'object',
  required: ['input_tokens'],
  properties: { input_tokens: count },
} as const;

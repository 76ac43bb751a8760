import { count, nullableText, text } from '../../http/schema.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
const tokens = { type: ['integer', 'null'], minimum: 1 };

/**
 * Schema of the members that routing and certification read. Others are passed on, and the provider
 * validates them.
 */
export const CHAT_REQUEST = {
  type: 'object',
  required: ['model', 'messages'],
  properties: {
    model: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'An address: see the description of the operation',
    },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['role'],
        properties: {
          role: { enum: ROLES },
          content: { type: ['string', 'array', 'null'] },
        },
      },
    },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'] },
    max_tokens: tokens,
    max_completion_tokens: tokens,
    tools: { type: ['array', 'null'] },
  },
} as const;

export const CHAT_RESPONSE = {
  type: 'object',
  required: ['choices'],
  properties: {
    id: text,
    object: text,
    created: { type: 'number' },
    model: text,
    choices: {
      type: 'array',
      items: {
        type: 'object',
        required: ['index', 'message'],
        properties: {
          index: count,
          message: {
            type: 'object',
            properties: {
              role: text,
              content: { type: ['string', 'array', 'null'] },
              tool_calls: { type: ['array', 'null'] },
            },
          },
          finish_reason: nullableText,
        },
      },
    },
    usage: {
      type: ['object', 'null'],
      properties: {
        prompt_tokens: count,
        completion_tokens: count,
        total_tokens: count,
      },
    },
  },
} as const;

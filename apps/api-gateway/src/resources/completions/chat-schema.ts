import type { JsonSchema } from '../../http/route.ts';

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];
const tokens = { type: ['integer', 'null'], minimum: 1 };

/**
 * Schema of the members that routing and certification read. Others are passed on, and the provider
 * validates them.
 */
export const CHAT_REQUEST: JsonSchema = {
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
};

export const CHAT_RESPONSE: JsonSchema = {
  type: 'object',
  required: ['choices'],
  properties: {
    id: { type: 'string' },
    object: { type: 'string' },
    created: { type: 'number' },
    model: { type: 'string' },
    choices: {
      type: 'array',
      items: {
        type: 'object',
        required: ['index', 'message'],
        properties: {
          index: { type: 'integer', minimum: 0 },
          message: {
            type: 'object',
            properties: {
              role: { type: 'string' },
              content: { type: ['string', 'array', 'null'] },
              tool_calls: { type: ['array', 'null'] },
            },
          },
          finish_reason: { type: ['string', 'null'] },
        },
      },
    },
    usage: {
      type: ['object', 'null'],
      properties: {
        prompt_tokens: { type: 'integer', minimum: 0 },
        completion_tokens: { type: 'integer', minimum: 0 },
        total_tokens: { type: 'integer', minimum: 0 },
      },
    },
  },
};

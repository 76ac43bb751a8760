import type { JsonSchema, RouteAnswer } from '../http/route.ts';

const nullableText = { type: ['string', 'null'] };

const CHAT_ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: nullableText,
        code: nullableText,
      },
    },
  },
};

const NATIVE_ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['error'],
  additionalProperties: false,
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code', 'requestId'],
      additionalProperties: false,
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: nullableText,
        code: { type: 'string' },
        details: {
          type: 'array',
          items: {
            type: 'object',
            required: ['path', 'message'],
            properties: { path: { type: 'string' }, message: { type: 'string' } },
          },
        },
        requestId: { type: 'string' },
      },
    },
  },
};

/** A documented error of the chat-completions dialect. */
export const CHAT_ERROR = (description: string): RouteAnswer => ({
  description,
  schema: CHAT_ERROR_SCHEMA,
});

/** A documented error of the native API. */
export const NATIVE_ERROR = (description: string): RouteAnswer => ({
  description,
  schema: NATIVE_ERROR_SCHEMA,
});

/** An error of a provider, passed on byte for byte: its shape is the provider's. */
export const PROVIDER_ERROR: RouteAnswer = {
  description: "The provider's own error, byte for byte",
  schema: { type: 'object' },
};

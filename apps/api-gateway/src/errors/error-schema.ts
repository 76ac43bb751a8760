import type { JsonSchema, RouteResponse, Surface } from '../http/route.ts';

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

const MESSAGES_ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  required: ['type', 'error'],
  properties: {
    type: { const: 'error' },
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: { type: { type: 'string' }, message: { type: 'string' } },
    },
    request_id: nullableText,
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

const documents =
  (schema: JsonSchema) =>
  (description: string): RouteResponse => ({ description, schema });

export const DOCUMENTED_ERROR: Readonly<Record<Surface, (description: string) => RouteResponse>> = {
  native: documents(NATIVE_ERROR_SCHEMA),
  'chat-completions': documents(CHAT_ERROR_SCHEMA),
  messages: documents(MESSAGES_ERROR_SCHEMA),
  responses: documents(CHAT_ERROR_SCHEMA),
};

export const PROVIDER_ERROR: RouteResponse = {
  description: "The provider's own error; what names the operator's account in it is [redacted]",
  schema: { type: 'object' },
};

import type { JsonSchema } from '../../http/route.ts';

const CHAT_MODEL: JsonSchema = {
  type: 'object',
  required: ['id', 'object', 'created', 'owned_by'],
  additionalProperties: false,
  properties: {
    id: { type: 'string' },
    object: { const: 'model' },
    created: { type: 'integer' },
    owned_by: { type: 'string' },
  },
};

const MESSAGES_MODEL: JsonSchema = {
  type: 'object',
  required: ['type', 'id', 'display_name', 'created_at'],
  additionalProperties: false,
  properties: {
    type: { const: 'model' },
    id: { type: 'string' },
    display_name: { type: 'string' },
    created_at: { type: 'string' },
  },
};

const CHAT_MODELS: JsonSchema = {
  type: 'object',
  required: ['object', 'data'],
  additionalProperties: false,
  properties: { object: { const: 'list' }, data: { type: 'array', items: CHAT_MODEL } },
};

const MESSAGES_MODELS: JsonSchema = {
  type: 'object',
  required: ['data', 'has_more', 'first_id', 'last_id'],
  additionalProperties: false,
  properties: {
    data: { type: 'array', items: MESSAGES_MODEL },
    has_more: { type: 'boolean' },
    first_id: { type: ['string', 'null'] },
    last_id: { type: ['string', 'null'] },
  },
};

export const EITHER_MODEL: JsonSchema = { oneOf: [CHAT_MODEL, MESSAGES_MODEL] };

export const EITHER_MODELS: JsonSchema = { oneOf: [CHAT_MODELS, MESSAGES_MODELS] };

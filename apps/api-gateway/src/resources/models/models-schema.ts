import { closedObject, flag, nullableText, text } from '../../http/schema.ts';

const CHAT_MODEL = closedObject({
  id: text,
  object: { const: 'model' },
  created: { type: 'integer' },
  owned_by: text,
});

const MESSAGES_MODEL = closedObject({
  type: { const: 'model' },
  id: text,
  display_name: text,
  created_at: text,
});

const CHAT_MODELS = closedObject({
  object: { const: 'list' },
  data: { type: 'array', items: CHAT_MODEL },
});

const MESSAGES_MODELS = closedObject({
  data: { type: 'array', items: MESSAGES_MODEL },
  has_more: flag,
  first_id: nullableText,
  last_id: nullableText,
});

export const EITHER_MODEL = { oneOf: [CHAT_MODEL, MESSAGES_MODEL] } as const;

export const EITHER_MODELS = { oneOf: [CHAT_MODELS, MESSAGES_MODELS] } as const;

import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, dateTime, text } from '../../http/schema.ts';

const CATEGORIES_MAX = 50;
const CATEGORY_LENGTH_MAX = 100;

const confidence = { type: 'number', minimum: 0, maximum: 1 } as const;

export const EXTRACTION_CATEGORIES = {
  type: 'array',
  minItems: 1,
  maxItems: CATEGORIES_MAX,
  items: {
    type: 'string',
    maxLength: CATEGORY_LENGTH_MAX,
    pattern: EXACT_NON_BLANK_TEXT,
  },
} as const;

export const EXTRACTED = {
  type: 'array',
  items: closedObject({ category: text, key: text, value: text, confidence }),
} as const;

const fact = closedObject({
  id: text,
  source: { ...text, description: 'The namespace; `agent_chat:<agent id>` of chats' },
  category: text,
  key: text,
  value: text,
  confidence,
  createdAt: dateTime,
});

export const FACT = closedObject({ data: fact });

export const FACTS = closedObject({
  data: { type: 'array', items: fact },
  count: { type: 'integer', minimum: 0, description: 'How many are here' },
});

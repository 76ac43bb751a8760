import type { JsonSchema } from '../../http/route.ts';
import { closedObject } from '../closed-object.ts';
import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';

const CATEGORIES_MAX = 50;
const CATEGORY_LENGTH_MAX = 100;

const text: JsonSchema = { type: 'string' };
const confidence: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };

export const EXTRACTION_CATEGORIES: JsonSchema = {
  type: 'array',
  minItems: 1,
  maxItems: CATEGORIES_MAX,
  items: {
    type: 'string',
    maxLength: CATEGORY_LENGTH_MAX,
    pattern: EXACT_NON_BLANK_TEXT,
  },
};

export const EXTRACTED: JsonSchema = {
  type: 'array',
  items: closedObject({ category: text, key: text, value: text, confidence }),
};

const fact = closedObject({
  id: text,
  source: { ...text, description: 'The namespace; `agent_chat:<agent id>` of chats' },
  category: text,
  key: text,
  value: text,
  confidence,
  createdAt: { type: 'string', format: 'date-time' },
});

export const FACT: JsonSchema = closedObject({ data: fact });

export const FACTS: JsonSchema = closedObject({
  data: { type: 'array', items: fact },
  count: { type: 'integer', minimum: 0, description: 'How many are here' },
});

import { FINISH_REASON, TOKEN_USAGE } from '../agent-chat/agent-chat-schema.ts';
import { CONTEXT_ITEMS } from '../agent-chat/context-item.ts';
import { EXTRACTED, EXTRACTION_CATEGORIES } from '../extracted-data/extracted-data-schema.ts';
import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, text } from '../../http/schema.ts';

const TEXT_LENGTH_MAX = 32_000;
const MESSAGES_MAX = 1_000;
const SOURCE_LENGTH_MAX = 200;
/**
 * Maximum of the requested output limit: more than any model can generate. The llm-gateway reduces
 * it to the model's limit.
 */
const TOKENS_MAX = 10_000_000;

export const AI_COMPLETE = {
  type: 'object',
  required: ['systemPrompt', 'messages'],
  properties: {
    systemPrompt: { type: 'string', minLength: 1, maxLength: TEXT_LENGTH_MAX },
    messages: {
      type: 'array',
      minItems: 1,
      maxItems: MESSAGES_MAX,
      items: {
        type: 'object',
        required: ['role', 'content'],
        properties: {
          role: { enum: ['user', 'assistant', 'system'] },
          content: { type: 'string', maxLength: TEXT_LENGTH_MAX },
        },
      },
    },
    json: { type: 'boolean', description: 'True: the answer is a JSON object' },
    temperature: {
      type: 'number',
      minimum: 0,
      maximum: 2,
      description: "By default the model's own",
    },
    max_tokens: {
      type: 'integer',
      minimum: 1,
      maximum: TOKENS_MAX,
      description: 'Of the answer: reasoning before it is not counted',
    },
    supplementary: { ...CONTEXT_ITEMS, description: 'Shown to the model behind the prompt' },
    extraction: {
      type: 'object',
      required: ['source', 'categories'],
      description: "Has facts read out of the user's messages",
      properties: {
        source: {
          type: 'string',
          maxLength: SOURCE_LENGTH_MAX,
          pattern: EXACT_NON_BLANK_TEXT,
          description: 'The namespace of the facts',
        },
        categories: { ...EXTRACTION_CATEGORIES, description: 'Facts of no other are wanted' },
        persist: { type: 'boolean', description: 'By default false' },
      },
    },
  },
} as const;

export const AI_COMPLETION = closedObject({
  content: text,
  finishReason: FINISH_REASON,
  usage: TOKEN_USAGE,
  extracted: EXTRACTED,
});

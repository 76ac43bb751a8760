import { count, text } from '../../http/schema.ts';

/** Maximum length of `input` as a text, in characters. */
const INPUT_LENGTH_MAX = 10 * 1024 * 1024;
const ID_LENGTH_MAX = 64;
const OUTPUT_TOKENS_MIN = 16;

const shortText = { type: ['string', 'null'], maxLength: ID_LENGTH_MAX };

/**
 * Schema of the members that routing and certification read, and of those that the specification
 * limits. Others are passed on, and the provider validates them.
 */
export const RESPONSES_REQUEST = {
  type: 'object',
  required: ['model'],
  properties: {
    model: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'An address: see the description of the operation',
    },
    input: {
      type: ['string', 'array'],
      minItems: 1,
      maxLength: INPUT_LENGTH_MAX,
      items: { type: 'object', properties: { type: text, role: text } },
    },
    instructions: { type: ['string', 'null'] },
    stream: { type: ['boolean', 'null'] },
    stream_options: { type: ['object', 'null'] },
    max_output_tokens: { type: ['integer', 'null'], minimum: OUTPUT_TOKENS_MIN },
    tools: { type: ['array', 'null'] },
    metadata: { type: ['object', 'null'] },
    text: { type: ['object', 'null'] },
    reasoning: { type: ['object', 'null'] },
    previous_response_id: { type: ['string', 'null'] },
    safety_identifier: shortText,
    prompt_cache_key: shortText,
    store: { type: ['boolean', 'null'] },
    background: { type: ['boolean', 'null'] },
  },
} as const;

const output = {
  type: 'array',
  items: { type: 'object', required: ['type'], properties: { type: text } },
} as const;
const usage = {
  type: ['object', 'null'],
  properties: { input_tokens: count, output_tokens: count, total_tokens: count },
} as const;

export const COMPACTED_RESPONSE = {
  type: 'object',
  required: ['id', 'object', 'created_at', 'output', 'usage'],
  properties: {
    id: text,
    object: { const: 'response.compaction' },
    created_at: { type: 'number' },
    output,
    usage,
  },
} as const;

export const RESPONSE = {
  type: 'object',
  required: ['id', 'object', 'status', 'output'],
  properties: {
    id: text,
    object: { const: 'response' },
    created_at: { type: 'number' },
    status: { enum: ['completed', 'incomplete', 'failed', 'in_progress', 'cancelled', 'queued'] },
    model: text,
    output,
    error: { type: ['object', 'null'] },
    incomplete_details: { type: ['object', 'null'] },
    usage,
  },
} as const;

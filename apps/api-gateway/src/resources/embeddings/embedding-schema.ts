import { count, text } from '../../http/schema.ts';

/** Maximum number of texts, or of lists of tokens, in one request. */
export const INPUTS_MAX = 2_048;
/** Maximum number of tokens in one list. */
export const TOKENS_MAX = 32_768;
const DIMENSIONS_MAX = 65_536;

export const EMBEDDINGS_REQUEST = {
  type: 'object',
  required: ['model', 'input'],
  properties: {
    model: {
      type: 'string',
      minLength: 1,
      maxLength: 256,
      description: 'An address: see the description of the operation',
    },
    // Its items are checked by `checkInput`, whose errors name the item.
    input: {
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      maxItems: TOKENS_MAX,
      description:
        `A text, or up to ${INPUTS_MAX} texts. A list of tokens, or up to ${INPUTS_MAX} of ` +
        'them, is taken by the local runtime only, because tokens cannot be masked.',
    },
    encoding_format: {
      enum: ['float', 'base64', null],
      description: 'base64: little-endian 32-bit floats. Default: float',
    },
    dimensions: { type: ['integer', 'null'], minimum: 1, maximum: DIMENSIONS_MAX },
    user: { type: ['string', 'null'] },
  },
} as const;

export const EMBEDDINGS = {
  type: 'object',
  required: ['object', 'data'],
  properties: {
    object: { const: 'list' },
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['index', 'embedding'],
        properties: {
          object: text,
          index: count,
          embedding: {
            anyOf: [{ type: 'array', items: { type: 'number' } }, { type: 'string' }],
          },
        },
      },
    },
    model: text,
    usage: {
      type: ['object', 'null'],
      properties: { prompt_tokens: count, total_tokens: count },
    },
  },
} as const;

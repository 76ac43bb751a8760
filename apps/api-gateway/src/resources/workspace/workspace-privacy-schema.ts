// Imported from this file, because the library's index also loads the model for names, which takes
// half a second and 65 MB.
import { CATEGORIES } from '@witan/privacy/categories';

const TERMS_MAX = 1_000;
const TERM_LENGTH_MAX = 200;
const PATTERNS_MAX = 50;
const PATTERN_LENGTH_MAX = 500;

const category = { enum: CATEGORIES } as const;

const terms = {
  type: 'array',
  maxItems: TERMS_MAX,
  description:
    'Own words, found as whole words in any case, each once. Each holds a letter or digit, no ' +
    'control characters, and no white space at its ends. Absent: none',
  items: {
    type: 'object',
    required: ['text', 'category'],
    properties: {
      text: { type: 'string', minLength: 1, maxLength: TERM_LENGTH_MAX },
      category,
    },
  },
} as const;

const patterns = {
  type: 'array',
  maxItems: PATTERNS_MAX,
  description:
    'Own shapes, each once, in a language that takes linear time: characters, ., classes, \\d, ' +
    '\\w, \\s and their opposites, groups, |, ?, *, +, {m,n} up to 100, and \\b at the ends. ' +
    'None matches the empty text. Absent: none',
  items: {
    type: 'object',
    required: ['pattern', 'category'],
    properties: {
      pattern: { type: 'string', minLength: 1, maxLength: PATTERN_LENGTH_MAX },
      category,
    },
  },
} as const;

export const WORKSPACE_PRIVACY = {
  type: 'object',
  description:
    'What is masked before anything leaves for a provider that is not local; in a change {} puts ' +
    'the defaults back',
  properties: {
    categories: {
      type: 'array',
      maxItems: CATEGORIES.length,
      uniqueItems: true,
      items: category,
      description:
        'These are masked, of the own terms and patterns too; empty: nothing is. Absent: all but ' +
        'LOCATION and ORG',
    },
    terms,
    patterns,
  },
} as const;

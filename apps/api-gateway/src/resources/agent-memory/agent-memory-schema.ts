import { pageSchema } from '../list-page.ts';
import { EXACT_NON_BLANK_TEXT } from '../../http/text-pattern.ts';
import { closedObject, count, dateTime, flag, text } from '../../http/schema.ts';

const MEMORIES_MAX = 100;
const KEY_LENGTH_MAX = 128;
const VALUE_LENGTH_MAX = 4_000;
const TYPE_LENGTH_MAX = 64;

const TYPES = ['fact', 'preference', 'decision', 'goal', 'note'] as const;

const REQUEST_MEMBERS = {
  key: {
    type: 'string',
    maxLength: KEY_LENGTH_MAX,
    pattern: EXACT_NON_BLANK_TEXT,
    description: 'Case and punctuation do not count: the last value of a key stays',
  },
  value: { type: 'string', maxLength: VALUE_LENGTH_MAX, pattern: EXACT_NON_BLANK_TEXT },
  type: {
    type: 'string',
    maxLength: TYPE_LENGTH_MAX,
    description: `One of ${TYPES.join(', ')}; any other word is kept as note`,
  },
  global: { type: 'boolean', description: "True: all of the workspace's agents have it" },
} as const;

export const NEW_MEMORIES = {
  type: 'object',
  description: 'One memory with `key` and `value`, or several in `memories`',
  properties: {
    ...REQUEST_MEMBERS,
    memories: {
      type: 'array',
      minItems: 1,
      maxItems: MEMORIES_MAX,
      items: { type: 'object', required: ['key', 'value'], properties: REQUEST_MEMBERS },
    },
  },
} as const;

const RESPONSE_MEMBERS = {
  id: text,
  key: text,
  value: text,
  type: { enum: TYPES },
  global: flag,
  source: { ...text, description: 'Who wrote it: `tag`, the agent in an answer, or `api`' },
  createdAt: dateTime,
  updatedAt: dateTime,
} as const;

export const MEMORY_FLAGS = {
  localOnly: {
    const: true,
    description: 'It derives from a call that stayed on this machine: no hosted model is shown it',
  },
  globalDenied: {
    const: true,
    description:
      'The agent asked for it to be global. It is its own, because the turn held tool results, ' +
      'passages, context or a tainted memory (the list shows which memories are tainted), came ' +
      'through the gateway, or because the workspace does not allow it',
  },
} as const;

const memory = closedObject(RESPONSE_MEMBERS, {
  ...MEMORY_FLAGS,
  tainted: {
    const: true,
    description:
      'Written in a turn that held tool results, passages, context or a tainted memory: an agent ' +
      'that knows it writes no global memories. To confirm it, write it again with `POST`; to ' +
      'discard it, delete it',
  },
});

export const SAVED_MEMORIES = closedObject({ memories: { type: 'array', items: memory } });

export const MEMORIES = pageSchema('memories', memory);

export const MEMORY_REVISIONS = closedObject({
  revisions: {
    type: 'array',
    items: closedObject({
      revision: { ...count, description: 'Which value of the memory it was, from 1' },
      key: text,
      value: text,
      type: { enum: TYPES },
      source: RESPONSE_MEMBERS.source,
      validFrom: dateTime,
      validTo: { ...dateTime, description: 'When the next value replaced it' },
    }),
  },
});

import { SCOPES } from '../../auth/scope.ts';
import { LABEL_TEXT } from '../../http/text-pattern.ts';
import { closedObject, instant, instantOrNull, text } from '../../http/schema.ts';

const NAME_LENGTH_MAX = 200;
const TIMESTAMP_LENGTH_MAX = 64;

const scope = { enum: SCOPES } as const;

const RESPONSE_MEMBERS = {
  id: text,
  name: text,
  prefix: { ...text, description: 'The first characters of the key; they open nothing' },
  scopes: { type: 'array', items: scope },
  createdAt: instant,
  expiresAt: instantOrNull,
  lastUsedAt: { ...instantOrNull, description: 'To the minute; null: never' },
} as const;

const API_KEY = closedObject(RESPONSE_MEMBERS, { revokedAt: instant });

export const NEW_API_KEY = {
  type: 'object',
  required: ['name'],
  properties: {
    name: {
      type: 'string',
      maxLength: NAME_LENGTH_MAX,
      pattern: LABEL_TEXT,
    },
    scopes: {
      type: 'array',
      minItems: 1,
      maxItems: SCOPES.length,
      uniqueItems: true,
      items: scope,
      description:
        'Only those of the calling key; absent: * from a key that has it, else those of the ' +
        'calling key. operator is given only by name',
    },
    expiresAt: {
      type: ['string', 'null'],
      maxLength: TIMESTAMP_LENGTH_MAX,
      description: 'RFC 3339, in the future; absent or null: the key does not end by itself',
    },
  },
} as const;

export const ROTATION = {
  type: 'object',
  properties: {
    immediately: {
      type: 'boolean',
      description: 'The old key ends at once and not 24 hours later',
    },
  },
} as const;

export const CREATED_API_KEY = closedObject({
  apiKey: API_KEY,
  key: { type: 'string', pattern: '^sk_live_[0-9A-Za-z]{46}$', description: 'Shown once' },
});

export const API_KEYS = closedObject(
  { apiKeys: { type: 'array', items: API_KEY } },
  { nextCursor: { ...text, description: 'Present when there is more' } },
);

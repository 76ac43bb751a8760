import { SCOPES } from '../../auth/scope.ts';
import type { JsonSchema } from '../../http/route.ts';
import { LABEL_TEXT } from '../../http/text-pattern.ts';

const NAME_LENGTH_MAX = 200;
const TIMESTAMP_LENGTH_MAX = 64;

const text: JsonSchema = { type: 'string' };
const INSTANT = '^\\d{4}-\\d\\d-\\d\\dT[0-9:.]{12}Z$';
const instant: JsonSchema = { type: 'string', pattern: INSTANT };
const instantOrNull: JsonSchema = { type: ['string', 'null'], pattern: INSTANT };
const scope: JsonSchema = { enum: SCOPES };

const RESPONSE_MEMBERS = {
  id: text,
  name: text,
  prefix: { ...text, description: 'The first characters of the key; they open nothing' },
  scopes: { type: 'array', items: scope },
  createdAt: instant,
  expiresAt: instantOrNull,
  lastUsedAt: { ...instantOrNull, description: 'To the minute; null: never' },
} as const;

const API_KEY: JsonSchema = {
  type: 'object',
  required: Object.keys(RESPONSE_MEMBERS),
  additionalProperties: false,
  properties: { ...RESPONSE_MEMBERS, revokedAt: instant },
};

export const NEW_API_KEY: JsonSchema = {
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
};

export const ROTATION: JsonSchema = {
  type: 'object',
  properties: {
    immediately: {
      type: 'boolean',
      description: 'The old key ends at once and not 24 hours later',
    },
  },
};

export const CREATED_API_KEY: JsonSchema = {
  type: 'object',
  required: ['apiKey', 'key'],
  additionalProperties: false,
  properties: {
    apiKey: API_KEY,
    key: { type: 'string', pattern: '^sk_live_[0-9A-Za-z]{46}$', description: 'Shown once' },
  },
};

export const API_KEYS: JsonSchema = {
  type: 'object',
  required: ['apiKeys'],
  additionalProperties: false,
  properties: {
    apiKeys: { type: 'array', items: API_KEY },
    nextCursor: { ...text, description: 'Present when there is more' },
  },
};

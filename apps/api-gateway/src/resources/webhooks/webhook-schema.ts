import { EVENT_NAMES, RETRY_COUNT_MAX, RETRY_SCHEDULES } from '@witan/contracts';
import { PLAIN_TEXT } from '../../http/text-pattern.ts';
import {
  closedObject,
  flag,
  instant,
  instantOrNull,
  nullableText,
  readOnly,
  text,
} from '../../http/schema.ts';

const URL_LENGTH_MAX = 2_048;
const DESCRIPTION_LENGTH_MAX = 1_000;
/**
 * Maximum length of a webhook's event list. It may contain each event twice, for example because a
 * client appended events to a list that it had read.
 */
const EVENTS_MAX = 2 * EVENT_NAMES.length;

const event = { enum: EVENT_NAMES } as const;
const retrySchedule = {
  enum: RETRY_SCHEDULES,
  description:
    'standard: 3 attempts, after 1 s and 5 s; long: 10 attempts in about 76 hours. A change ' +
    'applies from the next attempt of each delivery',
} as const;
const secret = {
  type: 'string',
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'Signs what is sent; shown once',
} as const;

const REQUEST_MEMBERS = {
  url: {
    type: 'string',
    minLength: 1,
    maxLength: URL_LENGTH_MAX,
    description: 'A public https endpoint',
  },
  events: { type: 'array', minItems: 1, maxItems: EVENTS_MAX, items: event },
  description: {
    type: ['string', 'null'],
    maxLength: DESCRIPTION_LENGTH_MAX,
    pattern: PLAIN_TEXT,
  },
  retrySchedule,
} as const;

export const NEW_WEBHOOK = {
  type: 'object',
  required: ['url', 'events'],
  properties: REQUEST_MEMBERS,
} as const;

export const WEBHOOK_CHANGE = {
  type: 'object',
  properties: {
    ...REQUEST_MEMBERS,
    isActive: {
      type: 'boolean',
      description: 'false pauses; true resumes, also a webhook that the service disabled',
    },
    disabledReason: readOnly,
    disabledAt: readOnly,
    id: readOnly,
    createdAt: readOnly,
    secretPreview: readOnly,
  },
} as const;

const RESPONSE_MEMBERS = {
  id: text,
  url: text,
  events: { type: 'array', items: event },
  description: nullableText,
  isActive: flag,
  retrySchedule,
  disabledReason: {
    enum: [null, 'gone'],
    description:
      'Why the service disabled the webhook: its receiver responded 410, with the standard ' +
      'schedule to the last attempt of a delivery. null when it is active, or paused by an update',
  },
  disabledAt: instantOrNull,
  createdAt: instant,
} as const;

const webhookSchema = closedObject({
  ...RESPONSE_MEMBERS,
  secretPreview: { ...text, description: 'Its secret, all but the last four characters masked' },
});

export const WEBHOOK = closedObject({ webhook: webhookSchema });

export const WEBHOOK_WITH_SECRET = closedObject({
  webhook: closedObject({ ...RESPONSE_MEMBERS, secret }),
});

export const WEBHOOKS = closedObject(
  { webhooks: { type: 'array', items: webhookSchema } },
  { nextCursor: { ...text, description: 'Present when there is more' } },
);

const delivery = closedObject({
  id: text,
  event,
  statusCode: {
    type: 'integer',
    minimum: 0,
    description: "Of the last attempt's answer; 0 when none came",
  },
  success: flag,
  state: {
    enum: ['pending', 'delivered', 'failed'],
    description: 'pending: an attempt is due or under way; failed: there is no further attempt',
  },
  retryCount: {
    type: 'integer',
    minimum: 0,
    maximum: RETRY_COUNT_MAX,
    description: 'Up to 2 with the standard schedule, up to 9 with the long one',
  },
  deliveredAt: instantOrNull,
  createdAt: instant,
  error: {
    enum: [
      null,
      'blocked_address',
      'dns',
      'connect',
      'tls',
      'timeout',
      'http_status',
      'response_too_large',
    ],
    description: 'Why the last attempt failed',
  },
});

export const DELIVERY = closedObject({ delivery });

export const DELIVERIES = closedObject({
  deliveries: { type: 'array', items: delivery },
});

export const WEBHOOK_TEST_RESULT = closedObject({
  success: flag,
  statusCode: { type: 'integer', minimum: 0, description: '0 when no answer came' },
});

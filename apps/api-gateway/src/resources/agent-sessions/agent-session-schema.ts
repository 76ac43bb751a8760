import type { JsonSchema } from '../../http/route.ts';
import { closedObject } from '../closed-object.ts';
import { pageSchema } from '../list-page.ts';
import { EXACT_TEXT } from '../../http/text-pattern.ts';

const TITLE_LENGTH_MAX = 200;

const text: JsonSchema = { type: 'string' };

export const NEW_SESSION: JsonSchema = {
  type: 'object',
  properties: {
    title: {
      type: ['string', 'null'],
      maxLength: TITLE_LENGTH_MAX,
      pattern: EXACT_TEXT,
      description: 'By default `Chat with <agent name>`',
    },
  },
};

const RESPONSE_MEMBERS = {
  id: { ...text, description: 'Given as sessionId to continue' },
  title: text,
  createdAt: { type: 'string', format: 'date-time' },
} as const;

const SESSION_FLAGS = {
  closed: {
    const: true,
    description: 'It was held on this machine, which its agent has left: it can only be read',
  },
} as const;

const message: JsonSchema = {
  type: 'object',
  required: ['senderType', 'content'],
  additionalProperties: false,
  properties: {
    senderType: { enum: ['user', 'agent'] },
    agentName: { ...text, description: 'Of what the agent said' },
    content: text,
  },
};

export const SESSION: JsonSchema = closedObject({
  session: closedObject(RESPONSE_MEMBERS, SESSION_FLAGS),
});

export const SESSION_WITH_MESSAGES: JsonSchema = closedObject({
  session: closedObject(
    { ...RESPONSE_MEMBERS, messages: { type: 'array', items: message } },
    SESSION_FLAGS,
  ),
});

export const SESSIONS: JsonSchema = pageSchema(
  'sessions',
  closedObject(
    { ...RESPONSE_MEMBERS, _count: closedObject({ messages: { type: 'integer', minimum: 0 } }) },
    SESSION_FLAGS,
  ),
);

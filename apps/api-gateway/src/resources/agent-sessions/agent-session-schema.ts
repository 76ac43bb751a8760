import { pageSchema } from '../list-page.ts';
import { EXACT_TEXT } from '../../http/text-pattern.ts';
import { closedObject, count, dateTime, text, texts } from '../../http/schema.ts';

const TITLE_LENGTH_MAX = 200;

export const NEW_SESSION = {
  type: 'object',
  properties: {
    title: {
      type: ['string', 'null'],
      maxLength: TITLE_LENGTH_MAX,
      pattern: EXACT_TEXT,
      description: 'By default `Chat with <agent name>`',
    },
  },
} as const;

const RESPONSE_MEMBERS = {
  id: { ...text, description: 'Given as sessionId to continue' },
  title: text,
  createdAt: dateTime,
} as const;

const SESSION_FLAGS = {
  closed: {
    const: true,
    description: 'It was held on this machine, which its agent has left: it can only be read',
  },
} as const;

const message = closedObject(
  { senderType: { enum: ['user', 'agent'] }, content: text },
  {
    agentName: { ...text, description: 'Of what the agent said' },
    proofs: { ...texts, description: 'Ids of the certificates behind what the agent said' },
  },
);

export const SESSION = closedObject({
  session: closedObject(RESPONSE_MEMBERS, SESSION_FLAGS),
});

export const SESSION_WITH_MESSAGES = closedObject({
  session: closedObject(
    { ...RESPONSE_MEMBERS, messages: { type: 'array', items: message } },
    SESSION_FLAGS,
  ),
});

export const SESSIONS = pageSchema(
  'sessions',
  closedObject({ ...RESPONSE_MEMBERS, _count: closedObject({ messages: count }) }, SESSION_FLAGS),
);

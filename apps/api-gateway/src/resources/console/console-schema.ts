import { closedObject, instant, text, texts } from '../../http/schema.ts';
import { pageSchema } from '../list-page.ts';

const session = closedObject({
  id: text,
  workspaceId: text,
  workspaceName: text,
  userId: text,
  keyId: { ...text, description: 'The key that signed in; the session ends with it' },
  keyName: text,
  scopes: { ...texts, description: 'Those of the key' },
  createdAt: instant,
  expiresAt: { ...instant, description: '12 hours after it began, or when the key expires' },
});

export const SESSION = closedObject({ session });

export const SESSIONS = pageSchema('sessions', session);

const CREDENTIAL_LENGTH_MAX = 200;

export const SIGN_IN = {
  type: 'object',
  properties: {
    key: { type: 'string', maxLength: CREDENTIAL_LENGTH_MAX, description: 'An API key' },
    token: {
      type: 'string',
      maxLength: CREDENTIAL_LENGTH_MAX,
      description: 'The token of a one-time link, instead of `key`',
    },
  },
} as const;

export const LINK = closedObject({
  link: closedObject({
    url: {
      ...text,
      description: 'Signs in once; the token is in the fragment, which browsers do not send',
    },
    expiresAt: { ...instant, description: '10 minutes after its creation' },
  }),
});

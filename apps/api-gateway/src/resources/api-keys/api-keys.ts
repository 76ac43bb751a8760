import { toDefaultScopes, verifyGrants } from '../../auth/grant-scopes.ts';
import type { Keys } from '../../auth/keys.ts';
import { toExpiry } from '../../auth/to-expiry.ts';
import { ValidationError } from '../../http/validation-error.ts';
import type { Route } from '../../http/route.ts';
import { API_KEYS, CREATED_API_KEY, NEW_API_KEY } from './api-key-schema.ts';
import { toSecretReply } from './encode-api-key.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';
import { readPage, unknownCursor } from '../list-page.ts';
import { API_KEY_ID } from '../resource-id.ts';

const LIST_MAX = 500;

const shared = { path: '/v1/api-keys', surface: 'native', tag: 'API keys' } as const;

export const createApiKeyRoute = (keys: Keys, clock: () => Date): Route => ({
  ...shared,
  id: 'createApiKey',
  method: 'post',
  summary: 'Make a key for the workspace; its text is shown once',
  scopes: ['keys'],
  body: NEW_API_KEY,
  idempotent: true,
  responses: {
    201: {
      description: 'The key',
      schema: CREATED_API_KEY,
      headers: { 'cache-control': 'no-store' },
    },
    400: DOCUMENTED_ERROR.native('The name, a scope or the time of expiry is not valid'),
    403: DOCUMENTED_ERROR.native('The calling key lacks the scope keys, or one that it would give'),
  },
  handle: async ({ principal, body }) => {
    const { workspaceId, userId, keyId: actor, scopes: granted } = principal!;
    const {
      name,
      scopes = toDefaultScopes(granted),
      expiresAt,
    } = body as Static<typeof NEW_API_KEY>;
    const expiryDate = readExpiry(expiresAt ?? null, clock());
    verifyGrants(granted, scopes);
    const key = { workspaceId, userId, name, scopes, expiresAt: expiryDate, actor };
    return toSecretReply(201, await keys.create(key));
  },
});

export const apiKeysRoute = (keys: Keys): Route => ({
  ...shared,
  id: 'listApiKeys',
  method: 'get',
  summary: "List the workspace's keys, newest first, revoked ones too; never their secrets",
  scopes: ['keys', 'keys:read'],
  query: {
    limit: { type: 'integer', minimum: 1, maximum: LIST_MAX },
    cursor: { type: 'string' },
  },
  responses: {
    200: { description: 'The keys', schema: API_KEYS },
    403: DOCUMENTED_ERROR.native('The calling key lacks the scope keys'),
  },
  handle: async ({ principal, query }) => {
    const { limit, cursor } = readPage({ query }, API_KEY_ID.is);
    const page = { limit: limit + 1, ...(cursor ? { after: cursor } : {}) };
    const found = await keys.list(principal!.workspaceId, page);
    if (!found) throw unknownCursor();
    const apiKeys = found.slice(0, limit);
    const nextCursor = found.length > limit ? apiKeys.at(-1)!.id : '';
    return reply(200, API_KEYS, { apiKeys, nextCursor });
  },
});

const readExpiry = (text: string | null, now: Date): Date | null => {
  if (text === null) return null;
  const expiry = toExpiry(text, now);
  if ('at' in expiry) return expiry.at;
  throw new ValidationError([{ path: 'expiresAt', message: expiry.error }]);
};

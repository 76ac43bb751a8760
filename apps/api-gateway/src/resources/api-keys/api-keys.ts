import { notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import {
  toDefaultScopes,
  verifyGrants,
  verifyNoSession,
  verifyRevocable,
} from '../../auth/scope.ts';
import type { CreatedKey, Keys } from '../../auth/keys.ts';
import { planRotation, toExpiry } from '../../auth/key-expiry.ts';
import type { Route } from '../../http/route.ts';
import { ValidationError } from '../../http/encode-native-error.ts';
import { PAGE_QUERY, unknownCursor } from '../list-page.ts';
import { nativeRoutes } from '../native-routes.ts';
import { API_KEY_ID } from '../resource-id.ts';
import { API_KEYS, CREATED_API_KEY, NEW_API_KEY, ROTATION } from './api-key-schema.ts';

const { create, list, act, remove } = nativeRoutes('API keys', 'keys');

export const apiKeyRoutes = (keys: Keys, clock: () => Date): Route[] => [
  create('/v1/api-keys', {
    id: 'createApiKey',
    summary: 'Make a key for the workspace; its text is shown once',
    body: NEW_API_KEY,
    returns: 'The key',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: CREATED_API_KEY,
    description: BY_KEY_ONLY,
    errors: {
      400: 'The name, a scope or the time of expiry is not valid',
      403:
        'The calling key lacks the scope keys, or one that it would give, or the caller is a ' +
        'session (session_not_allowed)',
    },
    run: async ({ call, body }) => {
      verifyNoSession(call.principal!, SESSION_REFUSED);
      const { workspaceId, userId, keyId: actor, scopes: granted } = call.principal!;
      const { name, scopes = toDefaultScopes(granted) } = body;
      const expiresAt = readExpiry(body.expiresAt ?? null, clock());
      verifyGrants(granted, scopes);
      const key = { workspaceId, userId, name, scopes, expiresAt, actor };
      return withKeyText(await keys.create(key));
    },
  }),
  list('/v1/api-keys', {
    id: 'listApiKeys',
    summary: "List the workspace's keys, newest first, revoked ones too; never their secrets",
    query: { ...PAGE_QUERY, cursor: { type: 'string' } },
    returns: 'The keys',
    schema: API_KEYS,
    errors: { 403: 'The calling key lacks the scope keys' },
    cursorId: API_KEY_ID,
    run: async ({ call, page: { limit, cursor } }) => {
      const page = { limit: limit + 1, ...(cursor ? { after: cursor } : {}) };
      const found = await keys.list(call.principal!.workspaceId, page);
      if (!found) throw unknownCursor();
      const apiKeys = found.slice(0, limit);
      return { apiKeys, nextCursor: found.length > limit ? apiKeys.at(-1)!.id : '' };
    },
  }),
  // All replicas refuse a revoked key within 5 s.
  remove('/v1/api-keys/{id}', {
    id: 'revokeApiKey',
    summary: 'Revoke a key for good; refused everywhere within 5 seconds',
    ids: { id: API_KEY_ID },
    returns: 'It is revoked, now or before',
    errors: {
      403: 'The calling key lacks the scope keys, or one of the key that is to be revoked',
    },
    run: async ({ call, ids }) => {
      const caller = call.principal!;
      const isFound = await keys.revoke(caller.workspaceId, {
        ...ids,
        actor: caller.keyId,
        check: (key) => verifyRevocable(caller, key),
      });
      if (!isFound) throw keyNotFound();
    },
  }),
  rotateApiKeyRoute(keys, clock),
];

const BY_KEY_ONLY =
  'Needs a key in `x-api-key` or `Authorization`, because a key outlives the session of a ' +
  'console: the console asks for it.';

const SESSION_REFUSED = 'A key is made with an API key in x-api-key, not by a session alone.';

const withKeyText = (created: CreatedKey) => ({ apiKey: created, key: created.key });

const keyNotFound = (): ServiceError => notFound('There is no such key in this workspace.');

const readExpiry = (text: string | null, now: Date): Date | null => {
  if (text === null) return null;
  const expiry = toExpiry(text, now);
  if ('at' in expiry) return expiry.at;
  throw new ValidationError([{ path: 'expiresAt', message: expiry.error }]);
};

const rotateApiKeyRoute = (keys: Keys, clock: () => Date): Route =>
  act('/v1/api-keys/{id}/rotate', {
    id: 'rotateApiKey',
    summary: 'Replace a key by one with the same name, scopes and expiry; the old one ends in 24 h',
    ids: { id: API_KEY_ID },
    description: BY_KEY_ONLY,
    body: ROTATION,
    idempotent: true,
    returns: 'The new key; its text is shown once',
    returnsHeaders: { 'cache-control': 'no-store' },
    schema: CREATED_API_KEY,
    errors: {
      400: 'immediately is no boolean',
      403:
        'The calling key lacks the scope keys, or one of that key, or the caller is a session ' +
        '(session_not_allowed)',
      409: 'The key is revoked or has expired',
    },
    run: async ({ call, ids, body: { immediately = false } }) => {
      verifyNoSession(call.principal!, SESSION_REFUSED);
      const { workspaceId, keyId: actor, scopes: granted } = call.principal!;
      const created = await keys.rotate(workspaceId, {
        ...ids,
        actor,
        plan: (key) => {
          verifyGrants(granted, key.scopes);
          return planRotation(key, { now: clock(), immediately });
        },
      });
      if (!created) throw keyNotFound();
      return withKeyText(created);
    },
  });

import { notFound } from '@witan/contracts';
import type { ServiceError } from '@witan/contracts';
import { verifyGrants, verifyRevocable } from '../../auth/grant-scopes.ts';
import type { Keys } from '../../auth/keys.ts';
import { planRotation } from '../../auth/plan-rotation.ts';
import type { Route } from '../../http/route.ts';
import { CREATED_API_KEY, ROTATION } from './api-key-schema.ts';
import { toSecretReply } from './encode-api-key.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { API_KEY_ID } from '../resource-id.ts';
import type { Static } from '../../http/schema.ts';

const shared = {
  surface: 'native',
  tag: 'API keys',
  scopes: ['keys'],
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such key in this workspace');

/** Returns the route that revokes an API key. All replicas refuse the key within 5 s. */
export const revokeApiKeyRoute = (keys: Keys): Route => ({
  ...shared,
  id: 'revokeApiKey',
  method: 'delete',
  path: '/v1/api-keys/{id}',
  summary: 'Revoke a key for good; refused everywhere within 5 seconds',
  responses: {
    204: { description: 'It is revoked, now or before' },
    403: DOCUMENTED_ERROR.native(
      'The calling key lacks the scope keys, or one of the key that is to be revoked',
    ),
    404: notFoundError,
  },
  handle: async (call) => {
    const caller = call.principal!;
    const isFound = await keys.revoke(caller.workspaceId, {
      id: API_KEY_ID.read(call.params.id),
      actor: caller.keyId,
      check: (key) => verifyRevocable(caller, key),
    });
    if (!isFound) throw keyNotFound();
    return { status: 204 };
  },
});

export const rotateApiKeyRoute = (keys: Keys, clock: () => Date): Route => ({
  ...shared,
  id: 'rotateApiKey',
  method: 'post',
  path: '/v1/api-keys/{id}/rotate',
  summary: 'Replace a key by one with the same name, scopes and expiry; the old one ends in 24 h',
  body: ROTATION,
  idempotent: true,
  responses: {
    200: {
      description: 'The new key; its text is shown once',
      schema: CREATED_API_KEY,
      headers: { 'cache-control': 'no-store' },
    },
    400: DOCUMENTED_ERROR.native('immediately is no boolean'),
    403: DOCUMENTED_ERROR.native('The calling key lacks the scope keys, or one of that key'),
    404: notFoundError,
    409: DOCUMENTED_ERROR.native('The key is revoked or has expired'),
  },
  handle: async (call) => {
    const { workspaceId, keyId: actor, scopes: granted } = call.principal!;
    const { immediately = false } = call.body as Static<typeof ROTATION>;
    const created = await keys.rotate(workspaceId, {
      id: API_KEY_ID.read(call.params.id),
      actor,
      plan: (key) => {
        verifyGrants(granted, key.scopes);
        return planRotation(key, { now: clock(), immediately });
      },
    });
    if (!created) throw keyNotFound();
    return toSecretReply(200, created);
  },
});

const keyNotFound = (): ServiceError => notFound('There is no such key in this workspace.');

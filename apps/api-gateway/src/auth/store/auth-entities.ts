import { defineEntity, p } from '@mikro-orm/core';

export const WorkspaceEntity = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    ownerId: p.string(),
    createdAt: p.datetime(),
    storesResponses: p.boolean().default(true),
  },
});

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.string().primary(),
    lookupId: p.string().unique(),
    workspaceId: p.string(),
    userId: p.string(),
    name: p.string(),
    secretHash: p.blob(),
    scopes: p.array(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    /**
     * End of the grace period after a rotation. It is separate from `expiresAt`, because the new
     * key inherits that.
     */
    graceUntil: p.datetime().nullable(),
  },
});

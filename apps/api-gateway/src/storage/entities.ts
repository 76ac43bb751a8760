import { defineEntity, p } from '@mikro-orm/core';

export const WorkspaceEntity = defineEntity({
  name: 'Workspace',
  tableName: 'workspace',
  properties: {
    id: p.string().primary(),
    name: p.string(),
    ownerId: p.string(),
    createdAt: p.datetime(),
  },
});

/** Only the SHA-256 of the secret is stored. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.string().primary(),
    /** The eight characters of the key's text that identify it. */
    lookupId: p.string().unique(),
    workspaceId: p.string(),
    userId: p.string(),
    name: p.string(),
    secretHash: p.blob(),
    scopes: p.array(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** To the minute; null if never used. */
    lastUsedAt: p.datetime().nullable(),
    /** A rotated key ends here at the latest; `expiresAt` is what its successor inherits. */
    graceUntil: p.datetime().nullable(),
  },
});

/** Changes of keys and other secrets; append-only. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    action: p.string(),
    subject: p.string(),
    actor: p.string(),
    /** The reason of a refusal, or the successor of a rotated key. */
    detail: p.string().nullable(),
    at: p.datetime(),
  },
});

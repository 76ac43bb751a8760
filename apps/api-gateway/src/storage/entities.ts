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

/** An API key; of its secret only the SHA-256 is kept. */
export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    id: p.string().primary(),
    /** The eight characters in the key's text by which it is found. */
    lookupId: p.string().unique(),
    workspaceId: p.string(),
    userId: p.string(),
    name: p.string(),
    secretHash: p.blob(),
    scopes: p.array(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** To the minute; null while it was never used. */
    lastUsedAt: p.datetime().nullable(),
    /** A rotated key ends here at the latest; `expiresAt` stays what its successor inherits. */
    graceUntil: p.datetime().nullable(),
  },
});

/** Who did what to a key or another secret; append-only. */
export const AuditEntity = defineEntity({
  name: 'Audit',
  tableName: 'audit',
  properties: {
    id: p.string().primary(),
    workspaceId: p.string(),
    action: p.string(),
    subject: p.string(),
    actor: p.string(),
    /** Why a key was refused; which key followed a rotated one. */
    detail: p.string().nullable(),
    at: p.datetime(),
  },
});

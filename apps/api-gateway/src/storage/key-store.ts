import { everyWorkspace, newId, workspaceScope } from '@witan/service-kit';
import type { Database, Scope } from '@witan/service-kit';
import { generateApiKey } from '../domain/key/api-key.ts';
import type { StoredKey } from '../domain/key/authenticate.ts';
import { ApiKeyEntity, AuditEntity, WorkspaceEntity } from './entities.ts';

/** A key as it may be shown. */
export type KeySummary = {
  id: string;
  name: string;
  prefix: string;
  scopes: string[];
  workspaceId: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
};

/** The key behind the eight characters, whatever its workspace: who calls is not known yet. */
export const findKey = (database: Database, lookupId: string): Promise<StoredKey | undefined> =>
  database.scoped(everyWorkspace, async (em) => {
    const row = await em.findOne(ApiKeyEntity, { lookupId });
    if (!row) return undefined;
    const { id, workspaceId, userId, scopes, secretHash } = row;
    const { expiresAt = null, revokedAt = null } = row;
    return { keyId: id, workspaceId, userId, scopes, secretHash, expiresAt, revokedAt };
  });

/** Makes a workspace with its owner. */
export const createWorkspace = (
  database: Database,
  name: string,
): Promise<{ workspaceId: string; userId: string }> => {
  const workspaceId = newId('ws');
  const userId = newId('usr');
  return database.scoped(workspaceScope(workspaceId), async (em) => {
    const row = { id: workspaceId, name, ownerId: userId, createdAt: new Date() };
    await em.insert(WorkspaceEntity, row);
    return { workspaceId, userId };
  });
};

/** Makes a key and its audit row. `key` is the only copy of its text. */
export const createKey = (
  database: Database,
  input: { workspaceId: string; userId: string; name: string; scopes: string[]; actor: string },
): Promise<{ id: string; key: string; scopes: string[] }> =>
  database.scoped(workspaceScope(input.workspaceId), async (em) => {
    const { workspaceId, userId, name, scopes } = input;
    const { text, keyId: lookupId, secretHash } = generateApiKey();
    const id = newId('key');
    const createdAt = new Date();
    await em.insert(ApiKeyEntity, {
      id,
      lookupId,
      workspaceId,
      userId,
      name,
      secretHash,
      scopes,
      createdAt,
    });
    await em.insert(AuditEntity, auditRow(input, 'key.created', id));
    return { id, key: text, scopes };
  });

/** Keys of the scope, newest first; never their secrets. */
export const listKeys = (database: Database, scope: Scope): Promise<KeySummary[]> =>
  database.scoped(scope, async (em) => {
    const rows = await em.find(ApiKeyEntity, {}, { orderBy: { createdAt: 'desc', id: 'desc' } });
    return rows.map((row) => ({
      id: row.id,
      name: row.name,
      prefix: `sk_live_${row.lookupId}`,
      scopes: row.scopes,
      workspaceId: row.workspaceId,
      createdAt: row.createdAt,
      expiresAt: row.expiresAt ?? null,
      revokedAt: row.revokedAt ?? null,
    }));
  });

/** Revokes a key for good; false when there is none in the scope. Idempotent. */
export const revokeKey = (
  database: Database,
  scope: Scope,
  { id, actor }: { id: string; actor: string },
): Promise<boolean> =>
  database.scoped(scope, async (em) => {
    const row = await em.findOne(ApiKeyEntity, { id });
    if (!row) return false;
    if (row.revokedAt) return true;
    await em.nativeUpdate(ApiKeyEntity, { id }, { revokedAt: new Date() });
    await em.insert(AuditEntity, auditRow({ ...row, actor }, 'key.revoked', id));
    return true;
  });

/** The workspace's owner, if there is such a workspace. */
export const findWorkspaceOwner = (
  database: Database,
  workspaceId: string,
): Promise<string | undefined> =>
  database.scoped(workspaceScope(workspaceId), async (em) => {
    const row = await em.findOne(WorkspaceEntity, { id: workspaceId });
    return row?.ownerId;
  });

const auditRow = (
  { workspaceId, actor }: { workspaceId: string; actor: string },
  action: string,
  subject: string,
) => ({ id: newId('aud'), workspaceId, action, subject, actor, at: new Date() });

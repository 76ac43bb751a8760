import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { everyWorkspace, newId, workspaceScope } from '@witan/service-kit';
import type { Database, Scope, Transaction } from '@witan/service-kit';
import { generateApiKey } from '../authenticate.ts';
import type { StoredKey } from '../authenticate.ts';
import type { KeyChange, KeyEnd, Keys, KeySummary, CreatedKey, NewKey } from '../keys.ts';
import { AuditEntity } from '../../audit/store/audit-entities.ts';
import { ApiKeyEntity, WorkspaceEntity } from './auth-entities.ts';

type KeyRow = InferEntity<typeof ApiKeyEntity>;

export const createKeys = (database: Database): Keys => ({
  create: (key) => createKey(database, key),
  list: (workspaceId, page) => listPage(database, workspaceId, page),
  revoke: (workspaceId, change) => revokeKey(database, workspaceScope(workspaceId), change),
  rotate: (workspaceId, change) => rotateKey(database, workspaceScope(workspaceId), change),
});

/**
 * Returns the API key with this lookup id. It searches all workspaces, because the caller's
 * workspace is known only from the key.
 */
export const findKey = (database: Database, lookupId: string): Promise<StoredKey | undefined> =>
  database.scoped(everyWorkspace, async (em) => {
    const row = await em.findOne(ApiKeyEntity, { lookupId });
    if (!row) return undefined;
    const { id, workspaceId, userId, scopes, secretHash, revokedAt = null } = row;
    const expiresAt = endOf(row);
    return { keyId: id, workspaceId, userId, scopes, secretHash, expiresAt, revokedAt };
  });

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

export const createKey = (database: Database, key: NewKey): Promise<CreatedKey> =>
  database.scoped(workspaceScope(key.workspaceId), (em) => insertKey(em, key));

export const listKeys = (database: Database, scope: Scope): Promise<KeySummary[]> =>
  database.scoped(scope, async (em) => {
    const rows = await em.find(ApiKeyEntity, {}, { orderBy: NEWEST_FIRST });
    return rows.map(toSummary);
  });

export const revokeKey = (
  database: Database,
  scope: Scope,
  { id, actor, check }: KeyChange & { check?: (key: KeySummary) => void },
): Promise<boolean> =>
  database.scoped(scope, async (em) => {
    const row = await em.findOne(ApiKeyEntity, { id }, LOCK_FOR_UPDATE);
    if (!row) return false;
    if (row.revokedAt) return true;
    check?.(toSummary(row));
    await em.nativeUpdate(ApiKeyEntity, { id }, { revokedAt: new Date() });
    await em.insert(AuditEntity, auditRow({ ...row, actor }, 'key.revoked', id));
    return true;
  });

export const rotateKey = (
  database: Database,
  scope: Scope,
  { id, actor, plan }: KeyChange & { plan: (key: KeySummary) => KeyEnd },
): Promise<CreatedKey | undefined> =>
  database.scoped(scope, async (em) => {
    // The row is locked, so that the second of two concurrent rotations or revocations sees the
    // result of the first.
    const row = await em.findOne(ApiKeyEntity, { id }, LOCK_FOR_UPDATE);
    if (!row) return undefined;
    const { workspaceId, userId, name, scopes, expiresAt = null } = row;
    const end = plan(toSummary(row));
    const created = await insertKey(em, { workspaceId, userId, name, scopes, expiresAt, actor });
    await em.nativeUpdate(ApiKeyEntity, { id }, end);
    const change = { workspaceId, actor };
    await em.insert(AuditEntity, { ...auditRow(change, 'key.rotated', id), detail: created.id });
    if ('revokedAt' in end) await em.insert(AuditEntity, auditRow(change, 'key.revoked', id));
    return created;
  });

export const findWorkspaceOwner = (
  database: Database,
  workspaceId: string,
): Promise<string | undefined> =>
  database.scoped(workspaceScope(workspaceId), async (em) => {
    const row = await em.findOne(WorkspaceEntity, { id: workspaceId });
    return row?.ownerId;
  });

const NEWEST_FIRST = { createdAt: 'desc', id: 'desc' } as const;
const LOCK_FOR_UPDATE = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;

const listPage = (
  database: Database,
  workspaceId: string,
  { limit, after }: { limit: number; after?: string },
): Promise<KeySummary[] | undefined> =>
  database.scoped(workspaceScope(workspaceId), async (em) => {
    const last = after === undefined ? null : await em.findOne(ApiKeyEntity, { id: after });
    if (after !== undefined && !last) return undefined;
    const previousKey = last && {
      $or: [
        { createdAt: { $lt: last.createdAt } },
        { createdAt: last.createdAt, id: { $lt: last.id } },
      ],
    };
    // Row-level security already restricts the query to the workspace, but PostgreSQL uses the
    // index only for an explicit condition.
    const where = { workspaceId, ...previousKey };
    const rows = await em.find(ApiKeyEntity, where, { orderBy: NEWEST_FIRST, limit });
    return rows.map(toSummary);
  });

const insertKey = async (
  em: Transaction,
  { workspaceId, userId, name, scopes, expiresAt = null, actor }: NewKey,
): Promise<CreatedKey> => {
  const { text, keyId: lookupId, secretHash } = generateApiKey();
  const id = newId('key');
  const createdAt = new Date();
  const properties = { id, workspaceId, name, scopes: [...scopes], createdAt, expiresAt };
  await em.insert(ApiKeyEntity, { ...properties, lookupId, userId, secretHash });
  await em.insert(AuditEntity, auditRow({ workspaceId, actor }, 'key.created', id));
  return {
    ...properties,
    prefix: toPrefix(lookupId),
    revokedAt: null,
    lastUsedAt: null,
    key: text,
  };
};

const toSummary = (row: KeyRow): KeySummary => ({
  id: row.id,
  name: row.name,
  prefix: toPrefix(row.lookupId),
  scopes: row.scopes,
  workspaceId: row.workspaceId,
  createdAt: row.createdAt,
  expiresAt: endOf(row),
  revokedAt: row.revokedAt ?? null,
  lastUsedAt: row.lastUsedAt ?? null,
});

const toPrefix = (lookupId: string): string => `sk_live_${lookupId}`;

const endOf = ({ expiresAt, graceUntil }: Pick<KeyRow, 'expiresAt' | 'graceUntil'>): Date | null =>
  expiresAt && graceUntil
    ? new Date(Math.min(expiresAt.getTime(), graceUntil.getTime()))
    : (expiresAt ?? graceUntil ?? null);

const auditRow = (
  { workspaceId, actor }: { workspaceId: string; actor: string },
  action: string,
  subject: string,
) => ({ id: newId('aud'), workspaceId, action, subject, actor, at: new Date() });

import { newId, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { AuditEntry, RecordAudit } from '../audit.ts';
import { AuditEntity } from './audit-entities.ts';

export const createRecordAudit =
  (database: Database): RecordAudit =>
  async (entries) => {
    if (entries.length === 0) return;
    const workspaceIds = new Set(entries.map(({ workspaceId }) => workspaceId));
    await database.scoped(workspaceScope(...workspaceIds), (em) => insertAudit(em, entries));
  };

/** Inserts audit entries in the transaction of the change that they record. */
export const insertAudit = async (
  em: Transaction,
  entries: readonly AuditEntry[],
): Promise<void> => {
  const at = new Date();
  await em.insertMany(
    AuditEntity,
    entries.map((entry) => ({ id: newId('aud'), ...entry, at })),
  );
};

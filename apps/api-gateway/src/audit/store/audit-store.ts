import { raw } from '@mikro-orm/core';
import { newId, workspaceScope } from '@witan/service-kit';
import type { Database, Transaction } from '@witan/service-kit';
import type { AuditEntry, ListAudit, RecordAudit } from '../audit.ts';
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

const NEWEST_FIRST = { at: 'desc', id: 'desc' } as const;

export const createListAudit =
  (database: Database): ListAudit =>
  (workspaceId, { limit, after, action, actor, target, fromMs, toMs }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const last = after === undefined ? null : await em.findOne(AuditEntity, { id: after });
      if (after !== undefined && !last) return undefined;
      const where = {
        workspaceId,
        ...(action === undefined ? {} : { action }),
        ...(actor === undefined ? {} : { actor }),
        ...(target === undefined ? {} : { subject: target }),
        $and: [
          ...(fromMs === undefined ? [] : [{ at: { $gte: new Date(fromMs) } }]),
          ...(toMs === undefined ? [] : [{ at: { $lte: new Date(toMs) } }]),
          // A comparison of rows is a range of the index; with OR every page would read all before.
          ...(last ? [{ [raw('(at, id) < (?, ?)', [last.at, last.id])]: [] }] : []),
        ],
      };
      const rows = await em.find(AuditEntity, where, { orderBy: NEWEST_FIRST, limit });
      return rows.map(({ subject, at, detail = null, ...row }) => ({
        id: row.id,
        action: row.action,
        actor: row.actor,
        target: subject,
        detail,
        createdAt: at,
      }));
    });

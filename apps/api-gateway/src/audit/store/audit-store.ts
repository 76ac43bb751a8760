import { newId, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { RecordAudit } from '../audit.ts';
import { AuditEntity } from './audit-entities.ts';

export const createRecordAudit =
  (database: Database): RecordAudit =>
  async (entries) => {
    if (entries.length === 0) return;
    const workspaceIds = new Set(entries.map(({ workspaceId }) => workspaceId));
    await database.scoped(workspaceScope(...workspaceIds), async (em) => {
      const at = new Date();
      const rows = entries.map((entry) => ({ id: newId('aud'), ...entry, at }));
      await em.insertMany(AuditEntity, rows);
    });
  };

import { captureTrace, workspaceScope } from '@witan/service-kit';
import type { Pool } from 'pg';
import type { RecordEvent } from '../deliver-event.ts';

export const createRecordEvent =
  (pool: Pool): RecordEvent =>
  async ({ id, workspaceId, type, idPrefix, envelope }) => {
    const { setting: workspace } = workspaceScope(workspaceId);
    const { prefix, suffix } = envelope;
    const values = [workspace, id, type, idPrefix, prefix, suffix, captureTrace()];
    const { rows } = await pool.query<{ made: number }>({ ...RECORD_EVENT, values });
    return rows[0]!.made;
  };

const RECORD_EVENT = {
  name: 'book_traced_fact',
  text: 'SELECT book_fact($1, $2, $3, $4, $5, $6, $7) AS made',
};

import { workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { Fact, FactStore } from '../facts.ts';
import { lockAgent } from '../../agent/store/agent-store.ts';

export const createFactStore = (database: Database): FactStore => ({
  upsert: (workspaceId, { source, drafts, agentId }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      // Locks the agent against deletion, because facts that are written after the deletion would
      // never be deleted.
      if (agentId && !(await lockAgent(em, { workspaceId, agentId }))) return;
      await em.execute(UPSERT, [workspaceId, source, JSON.stringify(drafts)]);
    }),
  list: (workspaceId, { source, category, limit }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const named = Object.entries({ source, category }).filter(([, name]) => name !== undefined);
      const where = ['workspace_id', ...named.map(([column]) => column)];
      const rows = await em.execute<FactRow[]>(
        `SELECT ${COLUMNS} FROM fact WHERE ${where.map((column) => `${column} = ?`).join(' AND ')}
         ORDER BY created_at DESC, id DESC LIMIT ?`,
        [workspaceId, ...named.map(([, name]) => name), limit],
      );
      return rows.map(toFact);
    }),
  find: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const sql = `SELECT ${COLUMNS} FROM fact WHERE workspace_id = ? AND id = ?`;
      const [row] = await em.execute<FactRow[]>(sql, [workspaceId, id]);
      return row && toFact(row);
    }),
  delete: (workspaceId, id) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const sql = 'DELETE FROM fact WHERE workspace_id = ? AND id = ? RETURNING id';
      return (await em.execute<object[]>(sql, [workspaceId, id])).length > 0;
    }),
});

/** Upserts facts sorted by category and key, so that two concurrent batches cannot deadlock. */
const UPSERT = `
  INSERT INTO fact (id, workspace_id, source, category, key, value, confidence)
  SELECT id, ?, ?, category, key, value, confidence
  FROM jsonb_to_recordset(?::jsonb)
    AS draft (id text, category text, key text, value text, confidence double precision)
  ORDER BY category COLLATE "C", key COLLATE "C"
  ON CONFLICT (workspace_id, source, category, key) DO UPDATE
  SET value = EXCLUDED.value, confidence = EXCLUDED.confidence, updated_at = clock_timestamp()`;

const COLUMNS = 'id, source, category, key, value, confidence, created_at';

type FactRow = Omit<Fact, 'createdAt'> & { created_at: string };

const toFact = ({ created_at: createdAt, ...fact }: FactRow): Fact => ({
  ...fact,
  createdAt: new Date(createdAt),
});

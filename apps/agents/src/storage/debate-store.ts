import { randomUUID } from 'node:crypto';
import { everyWorkspace, workspaceScope } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type {
  DebateArchive,
  DebateStore,
  FoundDebate,
  HeldDebate,
} from '../domain/debate/record/debate-store.ts';
import { beginDebate } from './begin-debate.ts';
import { readDebateEvents } from './debate-events.ts';
import { readDebateRows, toStoredDebate } from './debate-rows.ts';
import { saveSteps } from './save-steps.ts';

/** Debates in Postgres, for who holds them. */
export const createDebateStore = (database: Database): DebateStore => ({
  begin: (workspaceId, debate, leaseMs) =>
    beginDebate(database.query, { workspaceId, debate, lease: randomUUID(), leaseMs }),
  lease: (leaseMs) =>
    database.scoped(everyWorkspace, async (em) => {
      const lease = randomUUID();
      const [row] = await em.execute<LeasedRow[]>(LEASE, [lease, leaseMs]);
      return row && { ...row, conversationId: row.conversationId ?? '', lease };
    }),
  renew: ({ workspaceId, id, lease }, leaseMs) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      const renewed = await em.execute<object[]>(RENEW, [leaseMs, id, lease]);
      return renewed.length > 0;
    }),
  release: ({ workspaceId, id, lease }) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute(RELEASE, [id, lease]);
    }),
  save: (held, steps) => saveSteps(database.query, held, steps),
});

type LeasedRow = Pick<HeldDebate, 'id' | 'workspaceId' | 'attempts'> & {
  conversationId: string | null;
};

/**
 * A lease that ended is nobody's: `due_at` is its end. Next is one of the workspace of which the
 * fewest are held, so that a thousand that were left behind do not keep another's waiting.
 */
const LEASE = `
  WITH held AS MATERIALIZED (
    SELECT workspace_id, count(*) AS count FROM debate
    WHERE state = 'running' AND due_at > clock_timestamp() GROUP BY workspace_id
  )
  UPDATE debate SET
    lease = ?, attempts = attempts + 1,
    due_at = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE id = (
    SELECT free.id FROM debate AS free LEFT JOIN held USING (workspace_id)
    WHERE free.state = 'running' AND free.due_at <= clock_timestamp()
    ORDER BY coalesce(held.count, 0), free.due_at LIMIT 1
    FOR NO KEY UPDATE OF free SKIP LOCKED
  )
  RETURNING id, workspace_id AS "workspaceId", conversation_id AS "conversationId", attempts`;

const RENEW = `
  UPDATE debate SET due_at = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE id = ? AND lease = ? AND state = 'running' RETURNING id`;

/** The attempt counts when somebody was killed by it, and not when it was given back. */
const RELEASE = `
  UPDATE debate SET lease = NULL, attempts = attempts - 1, due_at = clock_timestamp()
  WHERE id = ? AND lease = ? AND state = 'running'`;

/** Debates in Postgres, for anybody of their workspace. */
export const createDebateArchive = (database: Database): DebateArchive => ({
  find: async (workspaceId, debateId) => {
    const [found] = await database.query<FoundDebate>({
      name: 'find_debate',
      text: 'SELECT * FROM find_debate($1, $2)',
      values: [workspaceScope(workspaceId).setting, debateId],
    });
    return found;
  },
  load: async (workspaceId, debateId) => {
    const rows = await readDebateRows(database.query, workspaceId, debateId);
    return rows && toStoredDebate(rows);
  },
  readEvents: (workspaceId, debateId, afterSeq) =>
    readDebateEvents(database.query, [workspaceId, debateId], afterSeq),
  deletePanels: (workspaceId, owner) =>
    database.scoped(workspaceScope(workspaceId), async (em) => {
      await em.execute('DELETE FROM debate WHERE workspace_id = ? AND owner = ?', [
        workspaceId,
        owner,
      ]);
    }),
});

import { everyWorkspace } from '@witan/service-kit';
import type { Database } from '@witan/service-kit';
import type { PanelPurgeStore } from '../purge-panels.ts';

export const createPanelPurgeStore = (database: Database): PanelPurgeStore => ({
  claim: (retryAfterMs) =>
    database.scoped(everyWorkspace, async (em) => {
      const [row] = await em.execute<{ owner: string; workspaceId: string }[]>(CLAIM, [
        retryAfterMs,
      ]);
      return row;
    }),
  add: ({ owner, workspaceId }) =>
    database.scoped(everyWorkspace, async (em) => {
      await em.execute(ADD_OWNER, [owner, workspaceId]);
    }),
  remove: ({ owner }) =>
    database.scoped(everyWorkspace, async (em) => {
      await em.execute(REMOVE, [owner]);
    }),
});

const CLAIM = `
  UPDATE panel_purge SET due_at = clock_timestamp() + make_interval(secs => ? / 1000.0)
  WHERE owner = (
    SELECT owner FROM panel_purge WHERE due_at <= clock_timestamp()
    ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED
  )
  RETURNING owner, workspace_id AS "workspaceId"`;

const ADD_OWNER = `
  INSERT INTO panel_purge (owner, workspace_id, due_at) VALUES (?, ?, clock_timestamp())
  ON CONFLICT (owner) DO UPDATE SET due_at = excluded.due_at`;

// Removes an owner unless it was added again after the claim, which made it due again.
const REMOVE = 'DELETE FROM panel_purge WHERE owner = ? AND due_at > clock_timestamp()';

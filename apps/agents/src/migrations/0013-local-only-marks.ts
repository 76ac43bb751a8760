import { everyWorkspace, SCOPE_SETTING, sqlMigration } from '@witan/service-kit';

const ADD_MARK_COLUMNS = `
  ALTER TABLE memory
    ADD COLUMN local_only boolean NOT NULL DEFAULT false,
    ADD COLUMN tainted boolean NOT NULL DEFAULT false,
    ADD COLUMN global_denied boolean NOT NULL DEFAULT false;
  ALTER TABLE session
    ADD COLUMN local_only boolean NOT NULL DEFAULT false,
    ADD COLUMN tainted boolean NOT NULL DEFAULT false`;

/**
 * Marks all sessions of agents that are local-only now, since past messages do not record their
 * model.
 */
const MARK_SESSIONS = `
  UPDATE session SET local_only = true FROM agent
  WHERE agent.id = session.agent_id AND agent.model ILIKE '%sensitive%'`;

const MARK_MEMORIES = `
  UPDATE memory SET local_only = true
  WHERE agent_id IN (SELECT id FROM agent WHERE model ILIKE '%sensitive%')
    OR session_id IN (SELECT id FROM session WHERE local_only)`;

/**
 * Adds marks to memories and sessions: `local_only` if derived from local-only calls, `tainted` if
 * derived from gateway calls or from chat turns whose prompts contained tool results, passages or
 * context.
 */
export const LocalOnlyMarks = sqlMigration(
  ADD_MARK_COLUMNS,
  `SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`,
  MARK_SESSIONS,
  MARK_MEMORIES,
);

import { Migration } from '@mikro-orm/migrations';
import { everyWorkspace, SCOPE_SETTING } from '@witan/service-kit';
import { WITH_GENERIC_PLAN } from './0007-reads-of-turns.ts';

/**
 * Adds marks to memories and sessions: `local_only` if derived from local-only calls, `tainted` if
 * derived from chat turns whose prompts contained tool results, passages or context. Rows that the
 * previous release writes have no marks. Adds a function that only earlier releases call.
 */
export class LocalOnlyMarks extends Migration {
  override up(): void {
    this.addSql(ADD_MARK_COLUMNS);
    this.addSql(`SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`);
    this.addSql(MARK_SESSIONS);
    this.addSql(MARK_MEMORIES);
    this.addSql(LOAD_MARKED_HISTORY);
  }
}

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
 * Returns the rows of `load_history`, followed by a row with the marks of the session. The marks
 * are read last, so that they cover every message in the rows before.
 */
const LOAD_MARKED_HISTORY = `
  CREATE FUNCTION load_marked_history(
    p_workspace_id text, p_agent_id text, p_session_id text,
    p_messages integer, p_history_bytes integer, p_session_bytes integer, p_session_messages integer
  ) RETURNS TABLE (
    is_full boolean, summary text, place float8, sender_type text, agent_name text, content text,
    local_only boolean, tainted boolean
  ) ${WITH_GENERIC_PLAN} AS $$
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    RETURN QUERY SELECT history.*, NULL::boolean, NULL::boolean FROM load_history(
      p_workspace_id, p_agent_id, p_session_id, p_messages, p_history_bytes, p_session_bytes,
      p_session_messages
    ) AS history;
    RETURN QUERY SELECT NULL::boolean, NULL::text, NULL::float8, NULL::text, NULL::text, NULL::text,
      marked.local_only, marked.tainted
    FROM session AS marked WHERE marked.workspace_id = p_workspace_id
      AND marked.agent_id = p_agent_id AND marked.id = p_session_id;
  END $$`;

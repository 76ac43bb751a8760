import { Migration } from '@mikro-orm/migrations';
import { everyWorkspace, SCOPE_SETTING } from '@witan/service-kit';
import { WITH_GENERIC_PLAN } from './0007-reads-of-turns.ts';
import { GLOBAL_MEMORIES, OWN_MEMORIES, writeScopeSql } from './0008-writes-of-turns.ts';

/**
 * Adds marks to memories and sessions: `local_only` if derived from local-only calls, `tainted` if
 * derived from chat turns whose prompts contained tool results, passages or context. The previous
 * release continues to call the old functions, and rows that it writes have no marks.
 */
export class LocalOnlyMarks extends Migration {
  override up(): void {
    this.addSql(ADD_MARK_COLUMNS);
    this.addSql(`SELECT set_config('${SCOPE_SETTING}', '${everyWorkspace.setting}', true)`);
    this.addSql(MARK_SESSIONS);
    this.addSql(MARK_MEMORIES);
    this.addSql(writeScopeSql(OWN_MEMORIES, MARK_FRAGMENTS));
    this.addSql(writeScopeSql(GLOBAL_MEMORIES, MARK_FRAGMENTS));
    this.addSql(RECALL_MARKED_MEMORIES);
    this.addSql(LOAD_MARKED_HISTORY);
    this.addSql(SAVE_MARKED_TURN);
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
 * SQL fragments that write the marks. If an unchanged value is written again without a mark, the
 * mark is removed.
 */
const MARK_FRAGMENTS = {
  create: 'CREATE OR REPLACE',
  draft: ', local_only boolean, tainted boolean, global_denied boolean',
  columns: ', local_only, tainted, global_denied',
  values: `, coalesce(v_draft.local_only, false), coalesce(v_draft.tainted, false),
          coalesce(v_draft.global_denied, false)`,
  changed: `, local_only = coalesce(v_draft.local_only, false),
          tainted = coalesce(v_draft.tainted, false),
          global_denied = coalesce(v_draft.global_denied, false)`,
  repeated: `, local_only = local_only AND coalesce(v_draft.local_only, true),
          tainted = tainted AND coalesce(v_draft.tainted, true),
          global_denied = global_denied AND coalesce(v_draft.global_denied, true)`,
};

const RECALL_MARKED_MEMORIES = `
  CREATE FUNCTION recall_marked_memories(p_workspace_id text, p_agent_id text)
  RETURNS TABLE (
    id text, agent_id text, key text, key_norm text, value text, type text, origin text,
    session_id text, importance real, updated_ms float8, used_ms float8,
    local_only boolean, tainted boolean
  ) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    RETURN QUERY
      SELECT m.id, m.agent_id, m.key, m.key_norm, m.value, m.type, m.origin, m.session_id,
        m.importance, (extract(epoch FROM m.updated_at) * 1000)::float8,
        (extract(epoch FROM m.used_at) * 1000)::float8, m.local_only, m.tainted
      FROM (
        SELECT * FROM memory WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id
        UNION ALL
        SELECT * FROM memory WHERE workspace_id = p_workspace_id AND agent_id IS NULL
      ) AS m;
  END $$`;

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

const SAVE_MARKED_TURN = `
  CREATE FUNCTION save_turn(
    p_workspace_id text, p_agent_id text, p_session_id text, p_new_title text,
    p_question_id text, p_question text, p_answer_id text, p_answer text,
    p_agent_name text, p_proof_ids text[],
    p_own jsonb, p_global jsonb, p_max integer, p_used text[],
    p_local_only boolean, p_tainted boolean
  ) RETURNS SETOF memory ${WITH_GENERIC_PLAN} AS $$
  BEGIN
    RETURN QUERY SELECT * FROM save_turn(
      p_workspace_id, p_agent_id, p_session_id, p_new_title, p_question_id, p_question, p_answer_id,
      p_answer, p_agent_name, p_proof_ids, p_own, p_global, p_max, p_used
    );
    IF p_local_only OR p_tainted THEN
      UPDATE session SET local_only = local_only OR p_local_only, tainted = tainted OR p_tainted
      WHERE workspace_id = p_workspace_id AND id = p_session_id
        AND (local_only < p_local_only OR tainted < p_tainted);
    END IF;
  END $$`;

import { Migration } from '@mikro-orm/migrations';

/**
 * Drops the `search` column of memories, because the service ranks memories now. Adds a function
 * that only earlier releases call.
 */
export class ReadsOfTurns extends Migration {
  override up(): void {
    this.addSql('ALTER TABLE memory DROP COLUMN search');
    this.addSql(LOAD_HISTORY);
  }
}

/**
 * Options of a function whose statements use a generic plan, because planning takes longer than
 * running them. The plan may be made while tables are empty; it uses the indexes nevertheless,
 * because sequential scans are disabled.
 */
export const WITH_GENERIC_PLAN = `LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan SET enable_seqscan = off`;

/**
 * Returns the session in the first row, with the end of its summary as `place`, and then its newest
 * messages in order, as many as fit into `p_history_bytes`. If the session is full, returns no
 * messages. Separate rows are faster than one JSON value.
 */
const LOAD_HISTORY = `
  CREATE FUNCTION load_history(
    p_workspace_id text, p_agent_id text, p_session_id text,
    p_messages integer, p_history_bytes integer, p_session_bytes integer, p_session_messages integer
  ) RETURNS TABLE (
    is_full boolean, summary text, place float8, sender_type text, agent_name text, content text
  ) ${WITH_GENERIC_PLAN} AS $$
  #variable_conflict use_column
  DECLARE
    v_session session;
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    SELECT * INTO v_session FROM session
    WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id AND id = p_session_id;
    IF NOT FOUND THEN
      RETURN;
    END IF;
    is_full := v_session.bytes >= p_session_bytes OR v_session.message_count >= p_session_messages;
    summary := v_session.summary;
    place := v_session.summary_until;
    RETURN NEXT;
    IF is_full THEN
      RETURN;
    END IF;
    RETURN QUERY
      SELECT NULL::boolean, NULL::text, position::float8, sender_type, agent_name, content FROM (
        SELECT position, sender_type, agent_name, content,
          sum(octet_length(content)) OVER (ORDER BY position DESC) AS bytes
        FROM (
          SELECT position, sender_type, agent_name, content FROM message
          WHERE workspace_id = p_workspace_id AND session_id = p_session_id
          ORDER BY position DESC LIMIT p_messages
        ) AS newest
      ) AS measured
      WHERE bytes <= p_history_bytes ORDER BY position;
  END $$`;

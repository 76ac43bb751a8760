-- Returns the session in the first row, with the end of its summary as `position`, then its newest
-- messages in order, at most `p_messages` of at most `p_history_bytes`, and in the last row the
-- marks of the session. Returns no row if there is no such session. The marks are read last, so
-- that they cover every message in the rows before. Separate rows are faster than one JSON value.
CREATE OR REPLACE FUNCTION load_session_history(
  p_workspace_id text, p_agent_id text, p_session_id text,
  p_messages integer, p_history_bytes integer
) RETURNS TABLE (
  bytes float8, message_count integer, summary text, "position" float8, sender_type text,
  agent_name text, content text, local_only boolean, tainted boolean
) LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT bytes::float8, message_count, summary, summary_until::float8, NULL::text, NULL::text,
      NULL::text, NULL::boolean, NULL::boolean
    FROM session
    WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id AND id = p_session_id;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  RETURN QUERY
    SELECT NULL::float8, NULL::integer, NULL::text, position::float8, sender_type, agent_name,
      content, NULL::boolean, NULL::boolean
    FROM (
      SELECT position, sender_type, agent_name, content,
        sum(octet_length(content)) OVER (ORDER BY position DESC) AS bytes
      FROM (
        SELECT position, sender_type, agent_name, content FROM message
        WHERE workspace_id = p_workspace_id AND session_id = p_session_id
        ORDER BY position DESC LIMIT p_messages
      ) AS newest
    ) AS measured
    WHERE bytes <= p_history_bytes ORDER BY position;
  RETURN QUERY
    SELECT NULL::float8, NULL::integer, NULL::text, NULL::float8, NULL::text, NULL::text,
      NULL::text, local_only, tainted
    FROM session
    WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id AND id = p_session_id;
END $$;

-- Returns the memories of an agent and the global ones of its workspace. Each part of the union
-- uses its own index.
CREATE OR REPLACE FUNCTION recall_marked_memories(p_workspace_id text, p_agent_id text)
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
END $$;

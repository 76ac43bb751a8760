-- Returns the memories of an agent or, if `p_agent_id` is null, the global ones of a workspace.
-- Each part of the union uses its own index; the function is inlined into the statements that call
-- it.
CREATE OR REPLACE FUNCTION memories_of(p_workspace_id text, p_agent_id text)
RETURNS SETOF memory LANGUAGE sql STABLE AS $$
  SELECT * FROM memory WHERE workspace_id = p_workspace_id AND agent_id = p_agent_id
  UNION ALL
  SELECT * FROM memory
  WHERE p_agent_id IS NULL AND workspace_id = p_workspace_id AND agent_id IS NULL
$$;

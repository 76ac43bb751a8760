-- Returns the tool to call. `p_agent_id` is null if the API tests a tool; otherwise the tool must
-- be linked to the agent at the time of the call.
CREATE OR REPLACE FUNCTION find_tool_target(p_workspace_id text, p_tool_id text, p_agent_id text)
RETURNS SETOF tool LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT * FROM tool
    WHERE workspace_id = p_workspace_id AND id = p_tool_id AND (
      p_agent_id IS NULL OR EXISTS (
        SELECT FROM agent_tool
        WHERE agent_tool.workspace_id = p_workspace_id
          AND agent_tool.agent_id = p_agent_id AND agent_tool.tool_id = p_tool_id
      )
    );
END $$;

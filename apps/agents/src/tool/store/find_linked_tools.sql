-- Returns the tools of an agent in a fixed order, because another order would change the prompt and
-- miss the provider's prompt cache. Called by the previous release only, to which the tools of MCP
-- servers are inactive; find_agent_tools replaces it.
CREATE OR REPLACE FUNCTION find_linked_tools(p_workspace_id text, p_agent_id text)
RETURNS TABLE (id text, name text, description text, parameters text, is_active boolean)
LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT tool.id, tool.name, tool.description, tool.parameters, tool.is_active
    FROM agent_tool JOIN tool ON tool.id = agent_tool.tool_id
    WHERE agent_tool.workspace_id = p_workspace_id AND agent_tool.agent_id = p_agent_id
      AND tool.workspace_id = p_workspace_id
    ORDER BY tool.name;
END $$;

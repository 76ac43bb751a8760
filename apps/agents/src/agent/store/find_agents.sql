-- Returns the agents with these ids.
CREATE OR REPLACE FUNCTION find_agents(p_workspace_id text, p_ids text[])
RETURNS SETOF agent LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY SELECT * FROM agent WHERE workspace_id = p_workspace_id AND id = ANY (p_ids);
END $$;

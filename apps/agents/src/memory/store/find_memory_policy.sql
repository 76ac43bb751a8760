-- Returns the memory policy of a workspace; no row means the default policy.
CREATE OR REPLACE FUNCTION find_memory_policy(p_workspace_id text)
RETURNS SETOF memory_policy LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY SELECT * FROM memory_policy WHERE workspace_id = p_workspace_id;
END $$;

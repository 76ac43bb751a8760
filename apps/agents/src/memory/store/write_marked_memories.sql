-- Writes memories of an agent and global ones, and marks the used memories. Locks in a fixed order
-- to avoid deadlocks: first the agent, as a deletion does, then its own memories, then the
-- workspace's. Used memories are marked last, because their rows stay locked until the transaction
-- ends; rows that another transaction has locked are skipped and keep their time of last use.
-- Errors: `WT001` if there is no such agent, and that of `write_scoped_memories`.
CREATE OR REPLACE FUNCTION write_marked_memories(
  p_workspace_id text, p_agent_id text, p_origin text, p_session_id text,
  p_own jsonb, p_global jsonb, p_max integer, p_used text[]
) RETURNS SETOF memory LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  IF jsonb_array_length(p_own) + jsonb_array_length(p_global) > 0 THEN
    PERFORM FROM agent WHERE workspace_id = p_workspace_id AND id = p_agent_id FOR KEY SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'agent % does not exist', p_agent_id USING ERRCODE = 'WT001';
    END IF;
  END IF;
  IF jsonb_array_length(p_own) > 0 THEN
    RETURN QUERY SELECT * FROM write_scoped_memories(
      p_workspace_id, p_agent_id, p_origin, p_session_id, p_own, p_max
    );
  END IF;
  IF jsonb_array_length(p_global) > 0 THEN
    RETURN QUERY SELECT * FROM write_scoped_memories(
      p_workspace_id, NULL, p_origin, p_session_id, p_global, p_max
    );
  END IF;
  IF cardinality(p_used) > 0 THEN
    UPDATE memory SET used_at = clock_timestamp() WHERE id IN (
      SELECT id FROM memory WHERE workspace_id = p_workspace_id AND id = ANY (p_used)
      FOR NO KEY UPDATE SKIP LOCKED
    );
  END IF;
END $$;

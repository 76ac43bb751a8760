-- Saves a chat turn, its memories and the marks of its session. If it fails, nothing is written.
-- Agent and session are locked in the order in which a deletion locks them. An existing session is
-- updated first, which serializes its turns, so that the two messages of a turn are adjacent.
-- Errors: `WT001` (no such agent), `WT002` (no such session).
CREATE OR REPLACE FUNCTION save_chat_turn(
  p_workspace_id text, p_turn chat_turn,
  p_own jsonb, p_global jsonb, p_max integer, p_used text[]
) RETURNS SETOF memory LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_bytes integer := octet_length(p_turn.question) + octet_length(p_turn.answer);
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  PERFORM FROM agent
  WHERE workspace_id = p_workspace_id AND id = p_turn.agent_id FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'agent % does not exist', p_turn.agent_id USING ERRCODE = 'WT001';
  END IF;
  IF p_turn.new_title IS NOT NULL THEN
    INSERT INTO session (
      id, workspace_id, agent_id, title, message_count, bytes, local_only, tainted
    ) VALUES (
      p_turn.session_id, p_workspace_id, p_turn.agent_id, p_turn.new_title, 2, v_bytes,
      p_turn.local_only, p_turn.tainted
    );
  ELSE
    UPDATE session SET active_at = clock_timestamp(), message_count = message_count + 2,
      bytes = bytes + v_bytes, local_only = local_only OR p_turn.local_only,
      tainted = tainted OR p_turn.tainted
    WHERE workspace_id = p_workspace_id AND agent_id = p_turn.agent_id
      AND id = p_turn.session_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'session % does not exist', p_turn.session_id USING ERRCODE = 'WT002';
    END IF;
  END IF;
  INSERT INTO message (id, workspace_id, session_id, sender_type, agent_name, content, proof_ids)
  VALUES
    (p_turn.question_id, p_workspace_id, p_turn.session_id, 'user', '', p_turn.question, '{}'),
    (p_turn.answer_id, p_workspace_id, p_turn.session_id, 'agent', p_turn.agent_name,
      p_turn.answer, p_turn.proof_ids);
  RETURN QUERY SELECT * FROM write_marked_memories(
    p_workspace_id, p_turn.agent_id, 'tag', p_turn.session_id, p_own, p_global, p_max, p_used
  );
END $$;

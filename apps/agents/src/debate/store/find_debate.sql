-- Returns the state of a debate, its conversation, empty for a panel, and the number of its last
-- event.
CREATE OR REPLACE FUNCTION find_debate(p_workspace_id text, p_id text)
RETURNS TABLE (state text, "conversationId" text, "lastSeq" integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY SELECT d.state, coalesce(d.conversation_id, ''), d.last_seq
    FROM debate AS d WHERE d.workspace_id = p_workspace_id AND d.id = p_id;
END $$;

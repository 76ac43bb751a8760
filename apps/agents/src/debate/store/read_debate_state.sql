-- Returns the state of a conversation's debate, the number of its last event, and when it last
-- changed. The debates of panels are not returned.
CREATE OR REPLACE FUNCTION read_debate_state(p_workspace_id text, p_id text)
RETURNS TABLE (
  state text, "conversationId" text, "lastSeq" integer, "createdAt" timestamptz,
  "updatedAt" timestamptz
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY SELECT d.state, d.conversation_id, d.last_seq, d.created_at,
      greatest(d.created_at, d.ended_at,
        (SELECT max(a.answered_at) FROM debate_answer AS a WHERE a.debate_id = d.id))
    FROM debate AS d
    WHERE d.workspace_id = p_workspace_id AND d.id = p_id AND d.conversation_id IS NOT NULL;
END $$;

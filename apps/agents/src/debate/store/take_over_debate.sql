-- Gives the lease of a conversation's running debate to the caller, so that the writes of the
-- process that has it are rejected; returns no row if the debate does not run.
CREATE OR REPLACE FUNCTION take_over_debate(
  p_workspace_id text, p_id text, p_lease text, p_lease_ms float8
)
RETURNS TABLE ("conversationId" text, attempts integer) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    UPDATE debate AS d SET
      lease = p_lease, due_at = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    WHERE d.workspace_id = p_workspace_id AND d.id = p_id AND d.state = 'running'
      AND d.conversation_id IS NOT NULL
    RETURNING d.conversation_id, d.attempts;
END $$;

-- Leases a running debate whose lease has expired; `due_at` is the end of a lease. A debate of the
-- workspace with the fewest leased debates is next, so that a thousand abandoned debates of one
-- workspace do not delay those of another.
CREATE OR REPLACE FUNCTION lease_debate(p_lease text, p_lease_ms float8)
RETURNS TABLE (id text, "workspaceId" text, "conversationId" text, attempts integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', '*', true);
  RETURN QUERY
    WITH leased AS MATERIALIZED (
      SELECT workspace_id, count(*) AS count FROM debate
      WHERE state = 'running' AND due_at > clock_timestamp() GROUP BY workspace_id
    )
    UPDATE debate AS d SET
      lease = p_lease, attempts = d.attempts + 1,
      due_at = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
    WHERE d.id = (
      SELECT free.id FROM debate AS free LEFT JOIN leased USING (workspace_id)
      WHERE free.state = 'running' AND free.due_at <= clock_timestamp()
      ORDER BY coalesce(leased.count, 0), free.due_at LIMIT 1
      FOR NO KEY UPDATE OF free SKIP LOCKED
    )
    RETURNING d.id, d.workspace_id, coalesce(d.conversation_id, ''), d.attempts;
END $$;

-- Extends a lease; `isRenewed` is false if the debate no longer has it.
CREATE OR REPLACE FUNCTION renew_debate(
  p_workspace_id text, p_id text, p_lease text, p_lease_ms float8
)
RETURNS TABLE ("isRenewed" boolean) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  UPDATE debate SET due_at = clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0)
  WHERE id = p_id AND lease = p_lease AND state = 'running';
  RETURN QUERY SELECT FOUND;
END $$;

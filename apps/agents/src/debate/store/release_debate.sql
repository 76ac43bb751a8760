-- Releases a lease and subtracts its attempt, because a process that stops says nothing about the
-- debate.
CREATE OR REPLACE FUNCTION release_debate(p_workspace_id text, p_id text, p_lease text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  UPDATE debate SET lease = NULL, attempts = attempts - 1, due_at = clock_timestamp()
  WHERE id = p_id AND lease = p_lease AND state = 'running';
END $$;

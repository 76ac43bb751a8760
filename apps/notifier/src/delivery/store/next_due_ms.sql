-- Returns the milliseconds until the next delivery becomes due or the next lease expires, or null
-- if there is none. Ignores deliveries that are due already.
CREATE OR REPLACE FUNCTION next_due_ms() RETURNS double precision LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off
AS $$
DECLARE
  v_next timestamptz;
BEGIN
  PERFORM set_config('witan.scope', '*', true);
  SELECT d.due_at INTO v_next FROM delivery AS d
  WHERE d.state = 'pending' AND d.due_at > now() ORDER BY d.due_at LIMIT 1;
  RETURN extract(epoch FROM v_next - clock_timestamp()) * 1000;
END $$;

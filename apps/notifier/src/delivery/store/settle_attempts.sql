-- Writes the results of attempts whose lease is unchanged, and returns their number. Locks the
-- webhooks that it changes before the deliveries, and both in the order of their ids, to avoid
-- deadlocks. If no attempt was made (`was_made`), only the lease ends and the next due time is set.
CREATE OR REPLACE FUNCTION settle_attempts(p_attempts attempt_columns)
RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off
AS $$
DECLARE
  v_count integer;
BEGIN
  PERFORM set_config('witan.scope', '*', true);

  PERFORM 1 FROM webhook AS hook
  JOIN unnest(p_attempts.webhook_id, p_attempts.was_made, p_attempts.was_slow)
    AS a (webhook_id, was_made, was_slow)
    ON a.was_made AND hook.id = a.webhook_id AND hook.is_slow <> a.was_slow
  ORDER BY hook.id FOR NO KEY UPDATE OF hook;
  UPDATE webhook AS hook SET is_slow = latest.was_slow
  FROM (
    SELECT DISTINCT ON (a.webhook_id) a.webhook_id, a.was_slow
    FROM unnest(p_attempts.webhook_id, p_attempts.was_made, p_attempts.was_slow)
      WITH ORDINALITY AS a (webhook_id, was_made, was_slow, position)
    WHERE a.was_made ORDER BY a.webhook_id, a.position DESC
  ) AS latest
  WHERE hook.id = latest.webhook_id AND hook.is_slow <> latest.was_slow;

  PERFORM 1 FROM delivery AS d JOIN unnest(p_attempts.id, p_attempts.lease) AS a (id, lease)
    ON d.id = a.id AND d.lease IS NOT DISTINCT FROM a.lease
  ORDER BY d.id FOR NO KEY UPDATE OF d;
  UPDATE delivery AS d
  SET state = a.state,
    attempts = d.attempts + a.was_made::integer,
    status_code = CASE WHEN a.was_made THEN a.status_code ELSE d.status_code END,
    error = CASE WHEN a.was_made THEN a.error ELSE d.error END,
    lease = NULL,
    due_at = CASE WHEN a.state = 'pending'
      THEN clock_timestamp() + a.delay_ms * interval '1 millisecond' END,
    delivered_at = CASE WHEN a.state = 'delivered' THEN clock_timestamp() END
  FROM unnest(p_attempts.id, p_attempts.lease, p_attempts.state, p_attempts.was_made,
              p_attempts.status_code, p_attempts.error, p_attempts.delay_ms)
    AS a (id, lease, state, was_made, status_code, error, delay_ms)
  WHERE d.id = a.id AND d.lease IS NOT DISTINCT FROM a.lease
    AND d.state IS NOT DISTINCT FROM 'pending';
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$;

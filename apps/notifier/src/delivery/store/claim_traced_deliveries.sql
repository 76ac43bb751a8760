-- Called by the previous release only, which knows no schedule but the standard one: its third
-- attempt is the last one. It gets no third attempt of a delivery with the long schedule, because
-- it would end the delivery; everything else is as in claim_scheduled_deliveries.
--
-- Leases due deliveries. Locks the rows of their webhooks while it computes how many more attempts
-- each may have in flight, so that concurrent replicas do not exceed the limit. If more is due than
-- `p_max` allows, deliveries of webhooks with the fewest attempts in flight come first; a webhook
-- whose last attempt timed out counts as having one more. Deliveries whose lease expired are locked
-- in the order of their ids, after their webhooks, to avoid deadlocks.
CREATE OR REPLACE FUNCTION claim_traced_deliveries(
  p_max integer, p_per_webhook integer, p_lease_ms integer, p_held text[]
) RETURNS TABLE (
  id text, workspace_id text, webhook_id text, event text, body text, lease uuid,
  attempt integer, waited_ms double precision, url text, sealed_secret text,
  previous_sealed_secret text, trace jsonb
) LANGUAGE plpgsql
-- Each step must read only the rows that it takes, in the order of an index, however many wait.
-- With row-level security the planner expects few rows and would read and sort all of them, and a
-- plan that was made on empty tables would find a row by its id in an index of pending deliveries.
-- So plans are custom, and where a row is found by its id, its state is compared with IS NOT
-- DISTINCT FROM, which no index matches.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_webhooks text[];
BEGIN
  PERFORM set_config('witan.scope', '*', true);
  -- If a crash of the database server loses a lease, the attempt is repeated, as after a crash of
  -- the service.
  PERFORM set_config('synchronous_commit', 'off', true);

  SELECT array_agg(locked.id) INTO v_webhooks FROM (
    -- Takes one step in the index per webhook, however many of its deliveries wait.
    WITH RECURSIVE waiting AS (
      (SELECT d.webhook_id FROM delivery AS d WHERE d.state = 'pending'
       ORDER BY d.webhook_id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT d.webhook_id FROM delivery AS d
        WHERE d.state = 'pending' AND d.webhook_id > w.webhook_id ORDER BY d.webhook_id LIMIT 1)
      FROM waiting AS w WHERE w.webhook_id IS NOT NULL
    )
    SELECT hook.id FROM waiting JOIN webhook AS hook ON hook.id = waiting.webhook_id
    WHERE hook.is_active AND EXISTS (
      SELECT 1 FROM delivery AS d
      WHERE d.webhook_id = hook.id AND d.state = 'pending' AND d.due_at <= clock_timestamp())
    FOR NO KEY UPDATE OF hook SKIP LOCKED
  ) AS locked;
  IF v_webhooks IS NULL THEN
    RETURN;
  END IF;

  v_now := clock_timestamp();
  PERFORM 1 FROM delivery AS d
  WHERE d.webhook_id = ANY (v_webhooks) AND d.lease IS NOT NULL AND d.due_at <= v_now
  ORDER BY d.id FOR NO KEY UPDATE;

  RETURN QUERY
  WITH capacity AS MATERIALIZED (
    SELECT hook.id, hook.url, hook.sealed_secret, hook.is_slow, hook.retry_schedule,
      CASE WHEN hook.previous_until > v_now THEN hook.previous_sealed_secret END AS previous,
      CASE WHEN hook.is_slow THEN 1 ELSE p_per_webhook END AS permits,
      (SELECT count(*) FROM delivery AS d
       WHERE d.webhook_id = hook.id AND d.lease IS NOT NULL
         AND (d.due_at > v_now OR d.id = ANY (p_held))) AS taken
    FROM webhook AS hook WHERE hook.id = ANY (v_webhooks) AND hook.is_active
  ), due AS MATERIALIZED (
    SELECT capacity.*, d.id AS delivery_id, d.due_at
    FROM capacity CROSS JOIN LATERAL (
      SELECT one.id, one.due_at, row_number() OVER (ORDER BY one.due_at) AS rank
      FROM (
        SELECT e.id, e.due_at FROM delivery AS e
        WHERE e.webhook_id = capacity.id AND e.state = 'pending' AND e.due_at <= v_now
          AND e.id <> ALL (p_held)
          AND (capacity.retry_schedule = 'standard' OR e.attempts < 2)
        ORDER BY e.due_at LIMIT greatest(capacity.permits - capacity.taken, 0)
      ) AS one
    ) AS d
    ORDER BY capacity.taken + d.rank + capacity.is_slow::integer, d.due_at LIMIT p_max
  )
  UPDATE delivery AS d
  SET lease = gen_random_uuid(), due_at = v_now + p_lease_ms * interval '1 millisecond'
  FROM due
  WHERE d.id = due.delivery_id AND d.state IS NOT DISTINCT FROM 'pending' AND d.due_at <= v_now
  RETURNING d.id, d.workspace_id, d.webhook_id, d.event, d.body, d.lease, d.attempts + 1,
    extract(epoch FROM v_now - due.due_at)::double precision * 1000,
    due.url, due.sealed_secret, due.previous, d.trace;
END $$;

import { Migration } from '@mikro-orm/migrations';

/**
 * Adds functions that only earlier releases call. Every statement that locks leased deliveries
 * locks them in the order of their ids, after their webhooks, to avoid deadlocks.
 */
export class LockOrder extends Migration {
  override up(): void {
    this.addSql(CLAIM_DELIVERIES);
    this.addSql(SETTLE_DELIVERIES);
  }
}

/**
 * Locks deliveries whose lease expired in the order of their ids before it leases them again.
 */
const CLAIM_DELIVERIES = `
CREATE OR REPLACE FUNCTION claim_deliveries(
  p_max integer, p_per_webhook integer, p_lease_ms integer, p_held text[]
) RETURNS TABLE (
  id text, workspace_id text, webhook_id text, event text, body text, lease uuid,
  attempt integer, waited_ms double precision, url text, sealed_secret text,
  previous_sealed_secret text
) LANGUAGE plpgsql
-- However much waits, a step reads what it takes, in the order of an index. With row-level security
-- the planner expects few rows to be left and would rather read and sort all of them; and a plan
-- from when the tables were empty would walk an index of what waits to find a row by its id: hence
-- custom plans, and IS NOT DISTINCT FROM, which those indexes do not match.
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  v_now timestamptz;
  v_webhooks text[];
BEGIN
  PERFORM set_config('witan.scope', '*', true);
  -- A lease that a crash of the server forgets costs one attempt more, as a crash of ours does.
  PERFORM set_config('synchronous_commit', 'off', true);

  SELECT array_agg(locked.id) INTO v_webhooks FROM (
    -- One step of the index a webhook, however much waits for each.
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
  WITH room AS MATERIALIZED (
    SELECT hook.id, hook.url, hook.sealed_secret, hook.is_slow,
      CASE WHEN hook.previous_until > v_now THEN hook.previous_sealed_secret END AS previous,
      CASE WHEN hook.is_slow THEN 1 ELSE p_per_webhook END AS places,
      (SELECT count(*) FROM delivery AS d
       WHERE d.webhook_id = hook.id AND d.lease IS NOT NULL
         AND (d.due_at > v_now OR d.id = ANY (p_held))) AS taken
    FROM webhook AS hook WHERE hook.id = ANY (v_webhooks) AND hook.is_active
  ), due AS MATERIALIZED (
    SELECT room.*, d.id AS delivery_id, d.due_at
    FROM room CROSS JOIN LATERAL (
      SELECT one.id, one.due_at, row_number() OVER (ORDER BY one.due_at) AS place
      FROM (
        SELECT e.id, e.due_at FROM delivery AS e
        WHERE e.webhook_id = room.id AND e.state = 'pending' AND e.due_at <= v_now
          AND e.id <> ALL (p_held)
        ORDER BY e.due_at LIMIT greatest(room.places - room.taken, 0)
      ) AS one
    ) AS d
    ORDER BY room.taken + d.place + room.is_slow::integer, d.due_at LIMIT p_max
  )
  UPDATE delivery AS d
  SET lease = gen_random_uuid(), due_at = v_now + p_lease_ms * interval '1 millisecond'
  FROM due
  WHERE d.id = due.delivery_id AND d.state IS NOT DISTINCT FROM 'pending' AND d.due_at <= v_now
  RETURNING d.id, d.workspace_id, d.webhook_id, d.event, d.body, d.lease, d.attempts + 1,
    extract(epoch FROM v_now - due.due_at)::double precision * 1000,
    due.url, due.sealed_secret, due.previous;
END $$`;

/** Locks deliveries in the order of their ids before it writes their results. */
const SETTLE_DELIVERIES = `
CREATE OR REPLACE FUNCTION settle_deliveries(
  p_id text[], p_webhook text[], p_lease uuid[], p_state text[], p_spent boolean[],
  p_status integer[], p_error text[], p_delay_ms integer[]
) RETURNS integer LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off
SET enable_bitmapscan = off SET enable_sort = off
AS $$
DECLARE
  v_count integer;
BEGIN
  PERFORM set_config('witan.scope', '*', true);

  PERFORM 1 FROM webhook AS hook JOIN (
    SELECT r.webhook_id, r.error IS NOT DISTINCT FROM 'timeout' AS is_slow
    FROM unnest(p_webhook, p_error, p_spent) AS r (webhook_id, error, spent) WHERE r.spent
  ) AS said ON hook.id = said.webhook_id AND hook.is_slow <> said.is_slow
  ORDER BY hook.id FOR NO KEY UPDATE OF hook;
  UPDATE webhook AS hook SET is_slow = said.is_slow
  FROM (
    SELECT DISTINCT ON (r.webhook_id)
      r.webhook_id, r.error IS NOT DISTINCT FROM 'timeout' AS is_slow
    FROM unnest(p_webhook, p_error, p_spent) WITH ORDINALITY AS r (webhook_id, error, spent, place)
    WHERE r.spent ORDER BY r.webhook_id, r.place DESC
  ) AS said
  WHERE hook.id = said.webhook_id AND hook.is_slow <> said.is_slow;

  PERFORM 1 FROM delivery AS d JOIN unnest(p_id, p_lease) AS r (id, lease)
    ON d.id = r.id AND d.lease IS NOT DISTINCT FROM r.lease
  ORDER BY d.id FOR NO KEY UPDATE OF d;
  UPDATE delivery AS d
  SET state = r.state,
    attempts = d.attempts + CASE WHEN r.spent THEN 1 ELSE 0 END,
    status_code = CASE WHEN r.spent THEN r.status ELSE d.status_code END,
    error = CASE WHEN r.spent THEN r.error ELSE d.error END,
    lease = NULL,
    due_at = CASE WHEN r.state = 'pending'
      THEN clock_timestamp() + r.delay_ms * interval '1 millisecond' END,
    delivered_at = CASE WHEN r.state = 'delivered' THEN clock_timestamp() END
  FROM unnest(p_id, p_lease, p_state, p_spent, p_status, p_error, p_delay_ms)
    AS r (id, lease, state, spent, status, error, delay_ms)
  WHERE d.id = r.id AND d.lease IS NOT DISTINCT FROM r.lease
    AND d.state IS NOT DISTINCT FROM 'pending';
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END $$`;

import { Migration } from '@mikro-orm/migrations';

/**
 * Stores the trace context of an event with its deliveries, so that the spans of attempts join the
 * event's trace.
 */
export class Traces extends Migration {
  override up(): void {
    this.addSql(`ALTER TABLE delivery ADD COLUMN trace jsonb NOT NULL DEFAULT '{}'`);
    this.addSql(RECORD_EVENT);
    this.addSql(CLAIM_DELIVERIES);
  }
}

/**
 * Adds an overload of the function of migration 0003 that also stores the trace. The old version
 * stays, because replicas of the previous release still call it during a rolling update.
 */
const RECORD_EVENT = `
CREATE FUNCTION book_fact(
  p_workspace text, p_fact text, p_event text, p_id_stem text, p_before text, p_behind text,
  p_trace jsonb
) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
DECLARE
  v_count integer;
BEGIN
  PERFORM set_config('witan.scope', p_workspace, true);

  INSERT INTO inbox (fact_id) VALUES (p_fact) ON CONFLICT DO NOTHING;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;

  WITH hook AS MATERIALIZED (
    SELECT id FROM webhook
    WHERE workspace_id = p_workspace AND is_active AND p_event = ANY (events)
    ORDER BY id FOR KEY SHARE
  ), numbered AS (
    SELECT id, row_number() OVER () AS place FROM hook
  )
  INSERT INTO delivery (id, workspace_id, webhook_id, event_id, event, body, trace)
  SELECT p_id_stem || lpad(place::text, 2, '0'), p_workspace, id, p_fact, p_event,
    p_before || id || p_behind, p_trace
  FROM numbered;
  GET DIAGNOSTICS v_count = ROW_COUNT;

  IF v_count > 0 THEN
    PERFORM pg_notify('notifier_due', '');
  END IF;
  RETURN v_count;
END $$`;

/**
 * SQL function that returns the deliveries leased by `claim_deliveries` (migration 0004) with their
 * traces. It reads each trace in a statement of its own: the snapshot of a join would lack
 * deliveries that were inserted after the join began.
 */
const CLAIM_DELIVERIES = `
CREATE FUNCTION claim_traced_deliveries(
  p_max integer, p_per_webhook integer, p_lease_ms integer, p_held text[]
) RETURNS TABLE (
  id text, workspace_id text, webhook_id text, event text, body text, lease uuid,
  attempt integer, waited_ms double precision, url text, sealed_secret text,
  previous_sealed_secret text, trace jsonb
) LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan SET enable_seqscan = off SET enable_bitmapscan = off
AS $$
#variable_conflict use_column
BEGIN
  FOR id, workspace_id, webhook_id, event, body, lease, attempt, waited_ms, url, sealed_secret,
    previous_sealed_secret
  IN SELECT * FROM claim_deliveries(p_max, p_per_webhook, p_lease_ms, p_held)
  LOOP
    SELECT d.trace INTO trace FROM delivery AS d WHERE d.id = claim_traced_deliveries.id;
    RETURN NEXT;
  END LOOP;
END $$`;

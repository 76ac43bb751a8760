-- Records an event in the inbox and among the recent events, inserts its deliveries and returns
-- their number, or 0 if the event was recorded before. The inbox row serializes concurrent calls
-- for one event. Webhooks are locked, in the order of their ids, so that none is deleted before its
-- delivery is inserted.
CREATE OR REPLACE FUNCTION book_fact(
  p_workspace text, p_fact text, p_event text, p_id_stem text, p_before text, p_behind text,
  p_trace jsonb
) RETURNS integer LANGUAGE plpgsql
-- Without these settings, a plan that was made on empty tables would read whole tables.
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

  INSERT INTO recent_event (workspace_id, id, body)
  VALUES (p_workspace, p_fact, p_before || p_behind);

  WITH hook AS MATERIALIZED (
    SELECT id FROM webhook
    WHERE workspace_id = p_workspace AND is_active AND p_event = ANY (events)
    ORDER BY id FOR KEY SHARE
  ), numbered AS (
    SELECT id, row_number() OVER () AS position FROM hook
  )
  INSERT INTO delivery (id, workspace_id, webhook_id, event_id, event, body, trace)
  SELECT p_id_stem || lpad(position::text, 2, '0'), p_workspace, id, p_fact, p_event,
    p_before || id || p_behind, p_trace
  FROM numbered;
  GET DIAGNOSTICS v_count = ROW_COUNT;

  -- Wakes the followers of events, too; they poll for events without deliveries.
  IF v_count > 0 THEN
    PERFORM pg_notify('notifier_due', '');
  END IF;
  RETURN v_count;
END $$;

import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the function that writes reserves, releases and appends of many workspaces in one
 * transaction and one round trip. An append takes effect only if its chain's head has not moved
 * since it was signed and every reservation that its workspace's group settles is open; otherwise
 * the whole group is left out. Result rows give the reason: `moved` with the workspace,
 * `unreserved` with a proof id, `taken` with the proof id of a reserve.
 */
export class WriteBooks extends Migration {
  override up(): void {
    this.addSql(WRITE_BOOKS);
  }
}

const WRITE_BOOKS = `
CREATE FUNCTION write_books(
  p_scope text,
  p_reserve_id text[], p_reserve_workspace text[], p_reserve_amount bigint[],
  p_reserve_intent bytea[], p_reserve_ms integer[],
  p_release_id text[], p_release_workspace text[],
  p_head_workspace text[], p_head_old_index bigint[], p_head_old_hash text[],
  p_head_new_index bigint[], p_head_new_hash text[], p_head_issued_at timestamptz[],
  p_cert_id text[], p_cert_workspace text[], p_cert_index bigint[],
  p_cert_payload text[], p_cert_hash text[], p_cert_signature text[],
  p_key_id text
) RETURNS TABLE (problem text, subject text) LANGUAGE plpgsql
-- One plan for ever, made while the tables are empty: planning anew costs more than running. Every
-- row here is found by its key, whatever size the tables have by then. A comparison that the index
-- of due reservations matches would have it walked whole: hence IS NOT DISTINCT FROM.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
DECLARE
  v_count integer;
  v_unreserved text[];
  v_stuck text[] := '{}';
  v_won text[];
BEGIN
  PERFORM set_config('witan.scope', p_scope, true);

  IF cardinality(p_reserve_id) > 0 THEN
    INSERT INTO reservation (id, workspace_id, amount, state, intent, expires_at, sent_at)
    SELECT r.id, r.workspace_id, r.amount, 'held', r.intent,
           clock_timestamp() + r.ms * interval '1 millisecond',
           CASE WHEN r.intent IS NULL THEN NULL ELSE clock_timestamp() END
    FROM unnest(p_reserve_id, p_reserve_workspace, p_reserve_amount, p_reserve_intent, p_reserve_ms)
      AS r (id, workspace_id, amount, intent, ms)
    ON CONFLICT (id) DO NOTHING;
    GET DIAGNOSTICS v_count = ROW_COUNT;
    IF v_count < cardinality(p_reserve_id) THEN
      RETURN QUERY
      SELECT 'taken', r.id FROM unnest(p_reserve_id, p_reserve_workspace) AS r (id, workspace_id)
      WHERE NOT EXISTS (
        SELECT 1 FROM reservation AS held
        WHERE held.id = r.id AND held.workspace_id = r.workspace_id
          AND held.state IS NOT DISTINCT FROM 'held');
    END IF;
  END IF;

  IF cardinality(p_release_id) > 0 THEN
    UPDATE reservation AS held SET state = 'released', intent = NULL
    FROM unnest(p_release_id, p_release_workspace) AS r (id, workspace_id)
    WHERE held.id = r.id AND held.workspace_id = r.workspace_id
      AND held.state IS NOT DISTINCT FROM 'held';
  END IF;

  IF cardinality(p_cert_id) = 0 THEN
    RETURN;
  END IF;

  -- A key rotation waits for this share lock, so no certificate of a retired key can follow it.
  PERFORM 1 FROM signing_key WHERE key_id = p_key_id AND not_after IS NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'signing key % is not current', p_key_id USING ERRCODE = 'WT001';
  END IF;

  -- In one order everywhere, so that two replicas never wait for each other.
  PERFORM 1 FROM chain_head WHERE workspace_id = ANY (p_head_workspace)
  ORDER BY workspace_id FOR UPDATE;

  PERFORM 1 FROM reservation WHERE id = ANY (p_cert_id) AND state IS NOT DISTINCT FROM 'held'
  ORDER BY id FOR UPDATE;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count < cardinality(p_cert_id) THEN
    SELECT array_agg(c.id), array_agg(DISTINCT c.workspace_id) INTO v_unreserved, v_stuck
    FROM unnest(p_cert_id, p_cert_workspace) AS c (id, workspace_id)
    WHERE NOT EXISTS (
      SELECT 1 FROM reservation AS held
      WHERE held.id = c.id AND held.workspace_id = c.workspace_id
        AND held.state IS NOT DISTINCT FROM 'held');
    v_stuck := coalesce(v_stuck, '{}');
    RETURN QUERY SELECT 'unreserved', unnest(v_unreserved);
  END IF;

  WITH moved AS (
    UPDATE chain_head AS head
    SET chain_index = h.new_index, hash = h.new_hash, issued_at = h.issued_at
    FROM unnest(p_head_workspace, p_head_old_index, p_head_old_hash,
                p_head_new_index, p_head_new_hash, p_head_issued_at)
      AS h (workspace_id, old_index, old_hash, new_index, new_hash, issued_at)
    WHERE head.workspace_id = h.workspace_id AND h.workspace_id <> ALL (v_stuck)
      AND head.chain_index = h.old_index AND head.hash = h.old_hash
    RETURNING head.workspace_id)
  SELECT coalesce(array_agg(moved.workspace_id), '{}') INTO v_won FROM moved;

  INSERT INTO certificate
    (id, workspace_id, chain_index, payload, payload_hash, signature, key_id)
  SELECT c.id, c.workspace_id, c.chain_index, c.payload, c.hash, c.signature, p_key_id
  FROM unnest(p_cert_id, p_cert_workspace, p_cert_index, p_cert_payload, p_cert_hash,
              p_cert_signature)
    AS c (id, workspace_id, chain_index, payload, hash, signature)
  WHERE c.workspace_id = ANY (v_won);

  UPDATE reservation SET state = 'settled', intent = NULL
  FROM unnest(p_cert_id, p_cert_workspace) AS c (id, workspace_id)
  WHERE reservation.id = c.id AND c.workspace_id = ANY (v_won);

  RETURN QUERY
  SELECT 'moved', h.workspace_id FROM unnest(p_head_workspace) AS h (workspace_id)
  WHERE h.workspace_id <> ALL (v_won) AND h.workspace_id <> ALL (v_stuck);
END $$`;

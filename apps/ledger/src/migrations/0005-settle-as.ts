import { Migration } from '@mikro-orm/migrations';

/**
 * Adds appends that settle a reservation under another id. In the commit of such an append, the
 * reservation transfers its tokens to a new one with the certificate's id and ends; the new one is
 * then settled like any other. So every certificate still has one reservation of its id, ids of
 * certificates and reservations share one space, and no other function changes. `settled_as` names
 * the new reservation and is immutable; older releases see a released reservation.
 *
 * Commits without such appends still use the existing function. This one reports `unreserved` for
 * appends whose reservation is not open or whose id is taken.
 */
export class SettleAs extends Migration {
  override up(): void {
    this.addSql(`
      ALTER TABLE reservation ADD COLUMN settled_as text,
        -- No row has any yet: the table is not read for it, however large it is.
        ADD CONSTRAINT reservation_settled_as
          CHECK (settled_as IS NULL OR (state = 'released' AND settled_as <> id)) NOT VALID`);
    this.addSql(WRITE_BOOKS_AS);
  }
}

const WRITE_BOOKS_AS = `
CREATE FUNCTION write_books_as(
  p_as_id text[], p_as_workspace text[], p_as_reservation text[],
  p_scope text, p_metered boolean, p_opening bigint,
  p_reserve_id text[], p_reserve_workspace text[], p_reserve_amount bigint[],
  p_reserve_minimum bigint[], p_reserve_intent bytea[], p_reserve_ms integer[],
  p_release_id text[], p_release_workspace text[], p_release_unsent boolean[],
  p_head_workspace text[], p_head_old_index bigint[], p_head_old_hash text[],
  p_head_new_index bigint[], p_head_new_hash text[], p_head_issued_at timestamptz[],
  p_cert_id text[], p_cert_workspace text[], p_cert_index bigint[],
  p_cert_payload text[], p_cert_hash text[], p_cert_signature text[], p_cert_usage bigint[],
  p_key_id text
) RETURNS TABLE (problem text, subject text, amount bigint) LANGUAGE plpgsql
-- As the function that it calls, for the same reasons.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_everyone text[] := p_reserve_workspace || p_release_workspace || p_head_workspace;
  v_taken text[];
  v_stuck text[];
BEGIN
  PERFORM set_config('witan.scope', p_scope, true);

  -- What the function below locks before any reservation is locked before any reservation here.
  IF p_metered AND cardinality(p_reserve_id) > 0 THEN
    PERFORM 1 FROM unnest(p_reserve_workspace) AS w (id)
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE workspace_id = w.id);
    IF FOUND THEN
      PERFORM open_accounts(p_reserve_workspace, p_opening);
    END IF;
  END IF;
  PERFORM 1 FROM account WHERE workspace_id = ANY (v_everyone) ORDER BY workspace_id FOR UPDATE;
  PERFORM 1 FROM chain_head WHERE workspace_id = ANY (p_head_workspace)
  ORDER BY workspace_id FOR UPDATE;
  PERFORM 1 FROM reservation WHERE id = ANY (p_as_reservation) ORDER BY id FOR UPDATE;

  -- An id is taken by whoever inserts it first, also when the other one's row cannot be seen here.
  WITH taken AS (
    INSERT INTO reservation (id, workspace_id, amount, state, expires_at, sent_at)
    SELECT a.id, a.workspace_id, own.amount, 'held', own.expires_at, own.sent_at
    FROM unnest(p_as_id, p_as_workspace, p_as_reservation) AS a (id, workspace_id, reservation)
    JOIN reservation AS own ON own.id = a.reservation AND own.workspace_id = a.workspace_id
    WHERE own.state IS NOT DISTINCT FROM 'held'
    ORDER BY a.id
    ON CONFLICT (id) DO NOTHING
    RETURNING reservation.id)
  SELECT coalesce(array_agg(taken.id), '{}') INTO v_taken FROM taken;

  SELECT coalesce(array_agg(DISTINCT a.workspace_id), '{}') INTO v_stuck
  FROM unnest(p_as_id, p_as_workspace) AS a (id, workspace_id)
  WHERE a.id <> ALL (v_taken);
  IF cardinality(v_stuck) > 0 THEN
    RETURN QUERY
    SELECT 'unreserved', a.id, NULL::bigint FROM unnest(p_as_id) AS a (id)
    WHERE a.id <> ALL (v_taken);
    -- No head has an empty hash: nothing of these workspaces is appended.
    p_head_old_hash := ARRAY(
      SELECT CASE WHEN h.workspace_id = ANY (v_stuck) THEN '' ELSE h.hash END
      FROM unnest(p_head_workspace, p_head_old_hash) WITH ORDINALITY
        AS h (workspace_id, hash, place)
      ORDER BY h.place);
  END IF;

  RETURN QUERY
  SELECT books.problem, books.subject, books.amount
  FROM write_books(p_scope, p_metered, p_opening, p_reserve_id, p_reserve_workspace,
    p_reserve_amount, p_reserve_minimum, p_reserve_intent, p_reserve_ms, p_release_id,
    p_release_workspace, p_release_unsent, p_head_workspace, p_head_old_index, p_head_old_hash,
    p_head_new_index, p_head_new_hash, p_head_issued_at, p_cert_id, p_cert_workspace,
    p_cert_index, p_cert_payload, p_cert_hash, p_cert_signature, p_cert_usage, p_key_id) AS books
  WHERE books.problem <> 'moved' OR books.subject <> ALL (v_stuck);

  -- What was not appended gives its id back, and its reservation stays as it was.
  UPDATE reservation AS own SET state = 'released', intent = NULL, settled_as = a.id
  FROM unnest(p_as_id, p_as_reservation) AS a (id, reservation)
  JOIN reservation AS heir ON heir.id = a.id
  WHERE a.id = ANY (v_taken) AND heir.state IS NOT DISTINCT FROM 'settled'
    AND own.id = a.reservation;
  DELETE FROM reservation WHERE id = ANY (v_taken) AND state IS NOT DISTINCT FROM 'held';
END $$`;

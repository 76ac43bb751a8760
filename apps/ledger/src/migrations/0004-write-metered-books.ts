import { Migration } from '@mikro-orm/migrations';

/**
 * Adds the function that writes releases, appends and reserves of many workspaces, and their
 * accounts, in one transaction and one round trip. The appends of one workspace form a group. A
 * group is written only if the chain's head has not moved since its certificates were signed and
 * every reservation that it settles is open; otherwise none of it is written. Result rows are:
 * `moved` with the workspace; `unreserved` with the proof id of an append; for a reserve `short`
 * (the balance is below its minimum), `busy` (holds of running calls leave too little balance), or
 * `held` with the amount that was reserved, if it differs from the requested one. For a proof id
 * that was used before, the row is its state: `held` (not sent yet, so it may be used again),
 * `open` (something may have been sent), `settled`, `released`, or `foreign` (it belongs to another
 * workspace).
 *
 * Accounts are locked first and in a fixed order, so that replicas cannot deadlock. Tokens that the
 * commit settles or releases are available to its own reserves. The function of the previous
 * release stays, because replicas of that release call it. That function does not change accounts,
 * so metering may be switched on only when none of these replicas runs.
 */
export class WriteMeteredBooks extends Migration {
  override up(): void {
    this.addSql(WRITE_BOOKS);
  }
}

const WRITE_BOOKS = `
CREATE FUNCTION write_books(
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
-- One plan for ever, made while the tables are empty: planning anew costs more than running. Every
-- row here is found by its key, whatever size the tables have by then. A comparison that the index
-- of due reservations matches would have it walked whole: hence IS NOT DISTINCT FROM.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_everyone text[] := p_reserve_workspace || p_release_workspace || p_head_workspace;
  v_reserved text[];
  v_stuck text[] := '{}';
  v_won text[];
  v_workspace text;
  v_posted bigint;
  v_held bigint;
  v_minimum bigint;
  v_grant bigint[];
  v_fresh text[];
BEGIN
  PERFORM set_config('witan.scope', p_scope, true);

  IF p_metered AND cardinality(p_reserve_id) > 0 THEN
    PERFORM 1 FROM unnest(p_reserve_workspace) AS w (id)
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE workspace_id = w.id);
    IF FOUND THEN
      PERFORM open_accounts(p_reserve_workspace, p_opening);
    END IF;
  END IF;
  PERFORM 1 FROM account WHERE workspace_id = ANY (v_everyone) ORDER BY workspace_id FOR UPDATE;
  -- Before any reservation: without metering there is no account that replicas would wait for.
  PERFORM 1 FROM chain_head WHERE workspace_id = ANY (p_head_workspace)
  ORDER BY workspace_id FOR UPDATE;

  IF cardinality(p_release_id) > 0 THEN
    -- In one order, as accounts.
    PERFORM 1 FROM reservation WHERE id = ANY (p_release_id) ORDER BY id FOR UPDATE;
    WITH ended AS (
      UPDATE reservation AS own SET state = 'released', intent = NULL
      FROM unnest(p_release_id, p_release_workspace, p_release_unsent)
        AS r (id, workspace_id, unsent)
      WHERE own.id = r.id AND own.workspace_id = r.workspace_id
        AND own.state IS NOT DISTINCT FROM 'held'
        -- What the sweeper found unsent may have been given its intent since.
        AND NOT (r.unsent AND own.intent IS NOT NULL)
      RETURNING own.workspace_id, own.amount)
    UPDATE account SET held = account.held - freed.amount
    FROM (SELECT workspace_id, sum(amount) AS amount FROM ended WHERE amount > 0
          GROUP BY workspace_id) AS freed
    WHERE account.workspace_id = freed.workspace_id;
  END IF;

  IF cardinality(p_cert_id) > 0 THEN
    -- A key rotation waits for this share lock, so no certificate of a retired key can follow it.
    PERFORM 1 FROM signing_key WHERE key_id = p_key_id AND not_after IS NULL FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'signing key % is not current', p_key_id USING ERRCODE = 'WT001';
    END IF;

    SELECT coalesce(array_agg(locked.id), '{}') INTO v_reserved
    FROM (SELECT own.id FROM unnest(p_cert_id, p_cert_workspace) AS c (id, workspace_id)
          JOIN reservation AS own ON own.id = c.id AND own.workspace_id = c.workspace_id
          WHERE own.state IS NOT DISTINCT FROM 'held'
          ORDER BY own.id FOR UPDATE OF own) AS locked;
    IF cardinality(v_reserved) < cardinality(p_cert_id) THEN
      SELECT coalesce(array_agg(DISTINCT c.workspace_id), '{}') INTO v_stuck
      FROM unnest(p_cert_id, p_cert_workspace) AS c (id, workspace_id)
      WHERE c.id <> ALL (v_reserved);
      RETURN QUERY
      SELECT 'unreserved', c.id, NULL::bigint FROM unnest(p_cert_id) AS c (id)
      WHERE c.id <> ALL (v_reserved);
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

    -- Usage within the reservation is always paid: it is held. What goes beyond is an error of the
    -- estimate, paid in the order of the certificates as far as the balance is free.
    WITH call AS (
      SELECT c.id, c.workspace_id, c.place, c.usage, own.amount,
             CASE WHEN own.amount > 0 THEN least(c.usage, own.amount) ELSE c.usage END AS within,
             CASE WHEN own.amount > 0 THEN greatest(c.usage - own.amount, 0) ELSE 0 END AS beyond
      FROM unnest(p_cert_id, p_cert_workspace, p_cert_usage) WITH ORDINALITY
        AS c (id, workspace_id, usage, place)
      JOIN reservation AS own ON own.id = c.id
      WHERE c.workspace_id = ANY (v_won)),
    free AS (
      SELECT call.workspace_id,
             account.posted - account.held + sum(call.amount - call.within) AS amount
      FROM call JOIN account ON account.workspace_id = call.workspace_id
      WHERE call.amount > 0
      GROUP BY call.workspace_id, account.posted, account.held),
    charge AS (
      SELECT call.*, greatest(0, least(call.beyond, coalesce(free.amount, 0) - (
               sum(call.beyond) OVER (PARTITION BY call.workspace_id ORDER BY call.place)
               - call.beyond)))::bigint AS overrun
      FROM call LEFT JOIN free ON free.workspace_id = call.workspace_id),
    settled AS (
      UPDATE reservation SET state = 'settled', intent = NULL,
             actual = charge.within + charge.overrun, unpaid = charge.beyond - charge.overrun
      FROM charge WHERE reservation.id = charge.id),
    paid AS (
      UPDATE account SET held = account.held - total.held, posted = account.posted - total.charged
      FROM (SELECT workspace_id, sum(amount) AS held, sum(within + overrun) AS charged
            FROM charge WHERE amount > 0 GROUP BY workspace_id) AS total
      WHERE account.workspace_id = total.workspace_id)
    INSERT INTO entry (id, workspace_id, kind, amount, source, target, certificate_id)
    SELECT 'ent_' || substr(charge.id, 4) || part.suffix, charge.workspace_id, part.kind,
           part.amount, CASE WHEN charge.amount > 0 THEN 'account' ELSE 'licence' END, 'usage',
           charge.id
    FROM charge CROSS JOIN LATERAL (VALUES
      ('usage', charge.within, ''), ('overrun', charge.overrun, 'x')) AS part (kind, amount, suffix)
    WHERE part.amount > 0
    ORDER BY charge.place;

    RETURN QUERY
    SELECT 'moved', h.workspace_id, NULL::bigint FROM unnest(p_head_workspace) AS h (workspace_id)
    WHERE h.workspace_id <> ALL (v_won) AND h.workspace_id <> ALL (v_stuck);
  END IF;

  IF cardinality(p_reserve_id) = 0 THEN
    RETURN;
  END IF;
  v_grant := array_fill(0::bigint, ARRAY[cardinality(p_reserve_id)]);
  IF p_metered THEN
    -- The caller sends the reserves of one workspace side by side. Whatever is asked for, a call
    -- holds a token at least: one that holds none is settled as of an unmetered install.
    FOR place IN 1 .. cardinality(p_reserve_id) LOOP
      IF v_workspace IS DISTINCT FROM p_reserve_workspace[place] THEN
        v_workspace := p_reserve_workspace[place];
        SELECT account.posted, account.held INTO v_posted, v_held
        FROM account WHERE account.workspace_id = v_workspace;
      END IF;
      v_minimum := greatest(p_reserve_minimum[place], 1);
      IF v_posted - v_held >= v_minimum THEN
        v_grant[place] := least(greatest(p_reserve_amount[place], 1), v_posted - v_held);
        v_held := v_held + v_grant[place];
      ELSE
        v_grant[place] := NULL;
        problem := CASE WHEN v_posted < v_minimum THEN 'short' ELSE 'busy' END;
        subject := p_reserve_id[place];
        amount := v_posted;
        RETURN NEXT;
      END IF;
    END LOOP;
  END IF;

  -- What is held is what was inserted: an id that is in use already must not hold anything twice.
  WITH fresh AS (
    INSERT INTO reservation (id, workspace_id, amount, state, intent, expires_at, sent_at)
    SELECT r.id, r.workspace_id, r.held, 'held', sent.intent,
           clock_timestamp() + r.ms * interval '1 millisecond',
           CASE WHEN sent.intent IS NULL THEN NULL ELSE clock_timestamp() END
    FROM unnest(p_reserve_id, p_reserve_workspace, p_reserve_amount, v_grant, p_reserve_intent,
                p_reserve_ms) AS r (id, workspace_id, wanted, held, intent, ms)
    CROSS JOIN LATERAL (SELECT
      CASE WHEN p_metered AND r.held < r.wanted THEN NULL ELSE r.intent END AS intent) AS sent
    WHERE r.held IS NOT NULL
    ORDER BY r.id
    ON CONFLICT (id) DO NOTHING
    RETURNING reservation.id, reservation.workspace_id, reservation.amount),
  booked AS (
    UPDATE account SET held = account.held + total.amount
    FROM (SELECT workspace_id, sum(amount) AS amount FROM fresh WHERE amount > 0
          GROUP BY workspace_id) AS total
    WHERE account.workspace_id = total.workspace_id)
  SELECT coalesce(array_agg(fresh.id), '{}') INTO v_fresh FROM fresh;

  IF p_metered THEN
    RETURN QUERY
    SELECT 'held', r.id, r.held
    FROM unnest(p_reserve_id, p_reserve_amount, v_grant) AS r (id, wanted, held)
    WHERE r.id = ANY (v_fresh) AND r.held <> r.wanted;
  END IF;
  IF cardinality(v_fresh) < cardinality(p_reserve_id) THEN
    -- What is held and was not sent may come again, with its intent: it is the same call.
    RETURN QUERY
    SELECT CASE WHEN own.id IS NULL THEN 'foreign' WHEN own.state <> 'held' THEN own.state
                WHEN own.intent IS NOT NULL THEN 'open' ELSE 'held' END, r.id, own.amount
    FROM unnest(p_reserve_id, p_reserve_workspace, v_grant) AS r (id, workspace_id, held)
    LEFT JOIN reservation AS own ON own.id = r.id AND own.workspace_id = r.workspace_id
    WHERE r.id <> ALL (v_fresh) AND (own.id IS NOT NULL OR r.held IS NOT NULL);
    UPDATE reservation AS own
    SET intent = r.intent, sent_at = clock_timestamp(),
        expires_at = clock_timestamp() + r.ms * interval '1 millisecond'
    FROM unnest(p_reserve_id, p_reserve_workspace, p_reserve_amount, p_reserve_intent, p_reserve_ms)
      AS r (id, workspace_id, wanted, intent, ms)
    WHERE r.id <> ALL (v_fresh) AND own.id = r.id AND own.workspace_id = r.workspace_id
      AND own.state IS NOT DISTINCT FROM 'held' AND own.intent IS NULL AND r.intent IS NOT NULL
      AND (own.amount = 0 OR r.wanted <= own.amount);
  END IF;
END $$`;

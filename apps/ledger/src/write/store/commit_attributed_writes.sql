-- Writes releases, appends and reserves of many workspaces, and their accounts, in one transaction
-- and one round trip. An append takes effect only if its chain's head has not moved since it was
-- signed, every reservation that its workspace's group settles is open, and no certificate id of
-- the group is in use by another call; otherwise the whole group is left out. Result rows are:
--   `moved` with the workspace;
--   `unreserved` with the id of a certificate whose reservation is not open or whose id is in use;
--   for a reserve `short` (the balance is below its minimum), `busy` (calls in flight hold the
--   balance), `held` with the held amount if that differs from the requested one or the reserve
--   repeats an earlier one, or the state of an id that was used before: `open` (its request may
--   have been sent), `settled`, `released`, `foreign`. A used id can be `short` or `busy` as well.
--
-- Accounts, then heads, then reservations are locked, each in a fixed order, to avoid deadlocks
-- between replicas: heads and reservations in that of commit_common_writes, whose caller sorts them
-- by bytes. Tokens that the commit settles or releases are available to its own reserves.
--
-- A certificate may settle a reservation with another id. That reservation then transfers its
-- tokens to a new one with the certificate's id, and the new one is settled like any other.
CREATE OR REPLACE FUNCTION commit_attributed_writes(
  p_scope text, p_metered boolean, p_opening bigint, p_key_id text,
  p_reserves reserve_columns, p_releases release_columns,
  p_heads head_columns, p_certificates attributed_columns
) RETURNS TABLE (problem text, subject text, amount bigint) LANGUAGE plpgsql
-- The plan is made once per connection, possibly on empty tables, because planning takes longer
-- than running. Without sequential scans, it finds every row by its key. States are compared with
-- IS NOT DISTINCT FROM, because `=` would match the partial index of expiring reservations, which
-- would be read whole.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  -- An assignment takes less time than a statement.
  v_scope text := set_config('witan.scope', p_scope, true);
  v_charged text[] := p_releases.workspace_id || p_heads.workspace_id
    || CASE WHEN p_metered THEN p_reserves.workspace_id END;
  v_is_renamed boolean := p_certificates.id <> p_certificates.reservation_id;
  v_transferred text[] := '{}';
  v_reserved text[];
  v_has_holds boolean;
  v_is_exceeded boolean;
  v_overrun bigint[] := '{}';
  v_stuck text[] := '{}';
  v_won text[] := '{}';
  v_workspace text;
  v_posted bigint;
  v_held bigint;
  v_minimum bigint;
  v_grant bigint[];
  v_fresh text[];
BEGIN
  IF p_metered AND cardinality(p_reserves.id) > 0 THEN
    PERFORM 1 FROM unnest(p_reserves.workspace_id) AS w (id)
    WHERE NOT EXISTS (SELECT 1 FROM account WHERE workspace_id = w.id);
    IF FOUND THEN
      PERFORM open_accounts(p_reserves.workspace_id, p_opening);
    END IF;
  END IF;
  IF cardinality(v_charged) > 0 THEN
    PERFORM 1 FROM account WHERE workspace_id = ANY (v_charged) ORDER BY workspace_id FOR UPDATE;
  END IF;
  -- Without metering a workspace may have no account, so heads too are locked before any
  -- reservation.
  IF cardinality(p_heads.workspace_id) > 0 THEN
    SELECT coalesce(array_agg(locked.workspace_id), '{}') INTO v_won
    FROM (SELECT head.workspace_id
          FROM unnest(p_heads.workspace_id, p_heads.old_index, p_heads.old_hash)
            AS h (workspace_id, old_index, old_hash)
          JOIN chain_head AS head ON head.workspace_id = h.workspace_id
          WHERE head.chain_index = h.old_index AND head.hash = h.old_hash
          ORDER BY head.workspace_id COLLATE "C" FOR UPDATE OF head) AS locked;
  END IF;

  -- Released and settled reservations are locked together, because two replicas might each settle
  -- one that the other releases. Without releases and other ids, they are locked when they are
  -- read below.
  IF v_is_renamed OR cardinality(p_releases.id) > 0 THEN
    PERFORM 1 FROM reservation WHERE id = ANY (p_releases.id || p_certificates.reservation_id)
    ORDER BY id COLLATE "C" FOR UPDATE;
  END IF;

  IF v_is_renamed THEN
    -- The insert also detects an id that another workspace uses, whose row is not visible here.
    WITH transferred AS (
      INSERT INTO reservation (id, workspace_id, amount, state, expires_at, sent_at)
      SELECT c.id, c.workspace_id, own.amount, 'held', own.expires_at, own.sent_at
      FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.reservation_id)
        AS c (id, workspace_id, reservation_id)
      JOIN reservation AS own
        ON own.id = c.reservation_id AND own.workspace_id = c.workspace_id
      WHERE c.id <> c.reservation_id AND own.state IS NOT DISTINCT FROM 'held'
      ORDER BY c.id COLLATE "C"
      ON CONFLICT (id) DO NOTHING
      RETURNING reservation.id)
    SELECT coalesce(array_agg(transferred.id), '{}') INTO v_transferred FROM transferred;
    SELECT coalesce(array_agg(DISTINCT c.workspace_id), '{}') INTO v_stuck
    FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.reservation_id)
      AS c (id, workspace_id, reservation_id)
    WHERE c.id <> c.reservation_id AND c.id <> ALL (v_transferred);
    RETURN QUERY
    SELECT 'unreserved', c.id, NULL::bigint
    FROM unnest(p_certificates.id, p_certificates.reservation_id) AS c (id, reservation_id)
    WHERE c.id <> c.reservation_id AND c.id <> ALL (v_transferred);
  END IF;

  IF cardinality(p_releases.id) > 0 THEN
    WITH ended AS (
      UPDATE reservation AS own SET state = 'released', intent = NULL
      FROM unnest(p_releases.id, p_releases.workspace_id, p_releases.only_unsent)
        AS r (id, workspace_id, only_unsent)
      WHERE own.id = r.id AND own.workspace_id = r.workspace_id
        AND own.state IS NOT DISTINCT FROM 'held'
        -- A reservation may have got its intent after the sweeper found it unsent.
        AND NOT (r.only_unsent AND own.intent IS NOT NULL)
      RETURNING own.workspace_id, own.amount)
    UPDATE account SET held = account.held - freed.amount
    FROM (SELECT workspace_id, sum(amount) AS amount FROM ended WHERE amount > 0
          GROUP BY workspace_id) AS freed
    WHERE account.workspace_id = freed.workspace_id;
  END IF;

  IF cardinality(p_certificates.id) > 0 THEN
    -- A key rotation waits for this share lock, so no certificate of the old key is written after
    -- it.
    PERFORM 1 FROM signing_key WHERE key_id = p_key_id AND not_after IS NULL FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'signing key % is not current', p_key_id USING ERRCODE = 'WT001';
    END IF;

    SELECT coalesce(array_agg(locked.id), '{}'), bool_or(locked.amount > 0),
           bool_or(locked.amount > 0 AND locked.usage > locked.amount)
    INTO v_reserved, v_has_holds, v_is_exceeded
    FROM (SELECT own.id, own.amount, c.usage
          FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.usage)
            AS c (id, workspace_id, usage)
          JOIN reservation AS own ON own.id = c.id AND own.workspace_id = c.workspace_id
          WHERE own.state IS NOT DISTINCT FROM 'held'
          ORDER BY own.id COLLATE "C" FOR UPDATE OF own) AS locked;
    IF cardinality(v_reserved) < cardinality(p_certificates.id) THEN
      v_stuck := v_stuck || ARRAY(
        SELECT DISTINCT c.workspace_id
        FROM unnest(p_certificates.id, p_certificates.workspace_id) AS c (id, workspace_id)
        WHERE c.id <> ALL (v_reserved));
      RETURN QUERY
      SELECT 'unreserved', c.id, NULL::bigint FROM unnest(p_certificates.id) AS c (id)
      WHERE c.id <> ALL (v_reserved);
    END IF;
    IF cardinality(v_won) < cardinality(p_heads.workspace_id) THEN
      RETURN QUERY
      SELECT 'moved', h.workspace_id, NULL::bigint
      FROM unnest(p_heads.workspace_id) AS h (workspace_id)
      WHERE h.workspace_id <> ALL (v_won) AND h.workspace_id <> ALL (v_stuck);
    END IF;
    IF cardinality(v_stuck) > 0 THEN
      v_won := ARRAY(SELECT unnest(v_won) EXCEPT SELECT unnest(v_stuck));
    END IF;

    -- Usage within a reservation is covered by its held tokens. Usage beyond it is charged in the
    -- order of the certificates, as far as the free balance reaches. If nothing is held, all usage
    -- is charged to the licence. `v_overrun` is parallel to the certificates, or empty.
    IF v_is_exceeded THEN
      WITH call AS (
        SELECT c.workspace_id, c.position, own.amount, greatest(own.amount - c.usage, 0) AS rest,
               CASE WHEN own.amount > 0 THEN greatest(c.usage - own.amount, 0) ELSE 0 END AS beyond
        FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.usage)
          WITH ORDINALITY AS c (id, workspace_id, usage, position)
        LEFT JOIN reservation AS own ON own.id = c.id),
      free AS (
        SELECT account.workspace_id,
               account.posted - account.held + sum(call.rest) AS amount
        FROM call JOIN account ON account.workspace_id = call.workspace_id
        GROUP BY account.workspace_id, account.posted, account.held)
      SELECT array_agg(
        greatest(0, least(call.beyond, coalesce(free.amount, 0) - call.beyond_before))::bigint
        ORDER BY call.position)
      INTO v_overrun
      FROM (SELECT call.*, sum(call.beyond) OVER (PARTITION BY call.workspace_id
                     ORDER BY call.position) - call.beyond AS beyond_before FROM call) AS call
      LEFT JOIN free ON free.workspace_id = call.workspace_id;
    END IF;

    WITH advanced AS (
      UPDATE chain_head AS head
      SET chain_index = h.new_index, hash = h.new_hash, issued_at = h.issued_at
      FROM unnest(p_heads.workspace_id, p_heads.new_index, p_heads.new_hash, p_heads.issued_at)
        AS h (workspace_id, new_index, new_hash, issued_at)
      WHERE head.workspace_id = h.workspace_id AND h.workspace_id = ANY (v_won)),
    issued AS (
      INSERT INTO certificate
        (id, workspace_id, chain_index, payload, payload_hash, signature, key_id,
         api_key_id, duration_ms, cached_tokens, cache_write_tokens)
      SELECT c.id, c.workspace_id, c.chain_index, c.payload, c.payload_hash, c.signature, p_key_id,
             c.api_key_id, c.duration_ms, c.cached_tokens, c.cache_write_tokens
      FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.chain_index,
                  p_certificates.payload, p_certificates.payload_hash, p_certificates.signature,
                  p_certificates.api_key_id, p_certificates.duration_ms,
                  p_certificates.cached_tokens, p_certificates.cache_write_tokens)
        AS c (id, workspace_id, chain_index, payload, payload_hash, signature, api_key_id,
              duration_ms, cached_tokens, cache_write_tokens)
      WHERE c.workspace_id = ANY (v_won)),
    settled AS (
      UPDATE reservation AS own SET state = 'settled', intent = NULL,
        actual = CASE WHEN own.amount > 0
          THEN least(c.usage, own.amount) + coalesce(c.overrun, 0) ELSE c.usage END,
        unpaid = CASE WHEN own.amount > 0
          THEN greatest(c.usage - own.amount, 0) - coalesce(c.overrun, 0) ELSE 0 END
      FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.usage, v_overrun)
        WITH ORDINALITY AS c (id, workspace_id, usage, overrun, position)
      WHERE own.id = c.id AND c.workspace_id = ANY (v_won)
      RETURNING own.id, own.workspace_id, own.amount, c.position,
                own.actual - coalesce(c.overrun, 0) AS within)
    INSERT INTO entry (id, workspace_id, kind, amount, source, target, certificate_id)
    SELECT 'ent_' || substr(settled.id, 4), settled.workspace_id, 'usage', settled.within,
           CASE WHEN settled.amount > 0 THEN 'account' ELSE 'licence' END, 'usage', settled.id
    FROM settled
    WHERE settled.within > 0
    ORDER BY settled.position;

    IF v_is_exceeded THEN
      INSERT INTO entry (id, workspace_id, kind, amount, source, target, certificate_id)
      SELECT 'ent_' || substr(c.id, 4) || 'x', c.workspace_id, 'overrun', c.overrun, 'account',
             'usage', c.id
      FROM unnest(p_certificates.id, p_certificates.workspace_id, v_overrun)
        AS c (id, workspace_id, overrun)
      WHERE c.overrun > 0 AND c.workspace_id = ANY (v_won);
    END IF;
    IF v_has_holds THEN
      UPDATE account SET held = account.held - total.held, posted = account.posted - total.charged
      FROM (SELECT own.workspace_id, sum(own.amount) AS held, sum(own.actual) AS charged
            FROM unnest(p_certificates.id, p_certificates.workspace_id) AS c (id, workspace_id)
            JOIN reservation AS own ON own.id = c.id
            WHERE own.amount > 0 AND c.workspace_id = ANY (v_won)
            GROUP BY own.workspace_id) AS total
      WHERE account.workspace_id = total.workspace_id;
    END IF;
  END IF;

  IF v_is_renamed THEN
    UPDATE reservation AS own SET state = 'released', intent = NULL, settled_as = c.id
    FROM unnest(p_certificates.id, p_certificates.reservation_id) AS c (id, reservation_id)
    JOIN reservation AS heir ON heir.id = c.id
    WHERE c.id = ANY (v_transferred) AND heir.state IS NOT DISTINCT FROM 'settled'
      AND own.id = c.reservation_id;
    -- The ids of certificates that were not appended become unused again.
    DELETE FROM reservation
    WHERE id = ANY (v_transferred) AND state IS NOT DISTINCT FROM 'held';
  END IF;

  IF cardinality(p_reserves.id) = 0 THEN
    RETURN;
  END IF;
  v_grant := array_fill(0::bigint, ARRAY[cardinality(p_reserves.id)]);
  IF p_metered THEN
    -- The reserves of one workspace are adjacent. Each holds at least one token, because a
    -- reservation without tokens is settled as in an unmetered installation.
    FOR position IN 1 .. cardinality(p_reserves.id) LOOP
      IF v_workspace IS DISTINCT FROM p_reserves.workspace_id[position] THEN
        v_workspace := p_reserves.workspace_id[position];
        SELECT account.posted, account.held INTO v_posted, v_held
        FROM account WHERE account.workspace_id = v_workspace;
      END IF;
      v_minimum := greatest(p_reserves.minimum[position], 1);
      IF v_posted - v_held >= v_minimum THEN
        v_grant[position] := least(greatest(p_reserves.amount[position], 1), v_posted - v_held);
        v_held := v_held + v_grant[position];
      ELSE
        v_grant[position] := NULL;
        problem := CASE WHEN v_posted < v_minimum THEN 'short' ELSE 'busy' END;
        subject := p_reserves.id[position];
        amount := v_posted;
        RETURN NEXT;
      END IF;
    END LOOP;
  END IF;

  -- Holds only the amounts of inserted rows, because an id that is in use must not hold twice.
  WITH fresh AS (
    INSERT INTO reservation (id, workspace_id, amount, state, intent, expires_at, sent_at)
    SELECT r.id, r.workspace_id, r.held, 'held', sent.intent,
           clock_timestamp() + r.expires_in_ms * interval '1 millisecond',
           CASE WHEN sent.intent IS NULL THEN NULL ELSE clock_timestamp() END
    FROM unnest(p_reserves.id, p_reserves.workspace_id, p_reserves.amount, v_grant,
                p_reserves.intent, p_reserves.expires_in_ms)
      AS r (id, workspace_id, wanted, held, intent, expires_in_ms)
    CROSS JOIN LATERAL (SELECT
      CASE WHEN p_metered AND r.held < r.wanted THEN NULL ELSE r.intent END AS intent) AS sent
    WHERE r.held IS NOT NULL
    ORDER BY r.id COLLATE "C"
    ON CONFLICT (id) DO NOTHING
    RETURNING reservation.id, reservation.workspace_id, reservation.amount),
  holding AS (
    UPDATE account SET held = account.held + total.amount
    FROM (SELECT workspace_id, sum(amount) AS amount FROM fresh WHERE amount > 0
          GROUP BY workspace_id) AS total
    WHERE account.workspace_id = total.workspace_id)
  SELECT coalesce(array_agg(fresh.id), '{}') INTO v_fresh FROM fresh;

  IF p_metered THEN
    RETURN QUERY
    SELECT 'held', r.id, r.held
    FROM unnest(p_reserves.id, p_reserves.amount, v_grant) AS r (id, wanted, held)
    WHERE r.id = ANY (v_fresh) AND r.held <> r.wanted;
  END IF;
  IF cardinality(v_fresh) < cardinality(p_reserves.id) THEN
    -- A reserve may be repeated while its reservation is held and has no intent: it is the same
    -- call, which may now add the intent.
    RETURN QUERY
    SELECT CASE WHEN own.id IS NULL THEN 'foreign' WHEN own.state <> 'held' THEN own.state
                WHEN own.intent IS NOT NULL THEN 'open' ELSE 'held' END, r.id, own.amount
    FROM unnest(p_reserves.id, p_reserves.workspace_id, v_grant) AS r (id, workspace_id, held)
    LEFT JOIN reservation AS own ON own.id = r.id AND own.workspace_id = r.workspace_id
    WHERE r.id <> ALL (v_fresh) AND (own.id IS NOT NULL OR r.held IS NOT NULL);
    UPDATE reservation AS own
    SET intent = r.intent, sent_at = clock_timestamp(),
        expires_at = clock_timestamp() + r.expires_in_ms * interval '1 millisecond'
    FROM unnest(p_reserves.id, p_reserves.workspace_id, p_reserves.amount, p_reserves.intent,
                p_reserves.expires_in_ms) AS r (id, workspace_id, wanted, intent, expires_in_ms)
    WHERE r.id <> ALL (v_fresh) AND own.id = r.id AND own.workspace_id = r.workspace_id
      AND own.state IS NOT DISTINCT FROM 'held' AND own.intent IS NULL AND r.intent IS NOT NULL
      AND (own.amount = 0 OR r.wanted <= own.amount);
  END IF;
END $$;

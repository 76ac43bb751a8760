-- Writes the common commit: reserves of new ids that are granted in full, and appends that settle
-- open reservations of their own id within the held tokens. It does what commit_attributed_writes
-- does for them, in fewer statements. Anything else raises WT002, or violates a unique or check
-- constraint, so that nothing is written; the caller then calls commit_attributed_writes.
--
-- The caller sorts each list by id, and every statement below takes its rows in the order of a
-- list: accounts, then heads, then reservations, so that replicas cannot deadlock.
CREATE OR REPLACE FUNCTION commit_common_writes(
  p_scope text, p_metered boolean, p_key_id text,
  p_reserves reserve_columns, p_heads head_columns, p_certificates attributed_columns
) RETURNS void LANGUAGE plpgsql
-- As in commit_attributed_writes. Nested loops read the rows in the order of the lists.
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off
SET enable_hashjoin = off SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  v_scope text := set_config('witan.scope', p_scope, true);
  v_settled bigint;
  v_workspaces text[] := '{}';
  v_freed bigint[];
  v_charged bigint[];
BEGIN
  IF p_metered THEN
    -- commit_attributed_writes opens the account of a workspace that has none.
    PERFORM FROM unnest(p_reserves.workspace_id) AS w (id)
    WHERE NOT EXISTS (SELECT FROM account WHERE workspace_id = w.id);
    IF FOUND THEN
      RAISE EXCEPTION 'not a common commit' USING ERRCODE = 'WT002';
    END IF;
    PERFORM FROM account
    WHERE workspace_id = ANY (p_reserves.workspace_id || p_heads.workspace_id)
    ORDER BY workspace_id FOR UPDATE;
  END IF;

  IF cardinality(p_certificates.id) > 0 THEN
    -- A key rotation waits for the share lock, so no certificate of the old key is written after
    -- it.
    WITH signing AS (
      SELECT FROM signing_key WHERE key_id = p_key_id AND not_after IS NULL FOR SHARE),
    advanced AS (
      UPDATE chain_head AS head
      SET chain_index = h.new_index, hash = h.new_hash, issued_at = h.issued_at
      FROM unnest(p_heads.workspace_id, p_heads.old_index, p_heads.old_hash, p_heads.new_index,
                  p_heads.new_hash, p_heads.issued_at)
        AS h (workspace_id, old_index, old_hash, new_index, new_hash, issued_at)
      WHERE head.workspace_id = h.workspace_id AND head.chain_index = h.old_index
        AND head.hash = h.old_hash AND EXISTS (SELECT FROM signing)
      RETURNING head.workspace_id),
    settled AS (
      UPDATE reservation AS own SET state = 'settled', intent = NULL, actual = c.usage, unpaid = 0
      FROM unnest(p_certificates.id, p_certificates.workspace_id, p_certificates.chain_index,
                  p_certificates.usage) AS c (id, workspace_id, chain_index, usage)
      WHERE (SELECT count(*) FROM advanced) = cardinality(p_heads.workspace_id)
        AND own.id = c.id AND own.workspace_id = c.workspace_id
        AND own.state IS NOT DISTINCT FROM 'held'
        AND CASE WHEN p_metered THEN own.amount > 0 AND c.usage <= own.amount
                 ELSE own.amount = 0 END
      RETURNING own.id, own.workspace_id, own.amount, c.usage, c.chain_index),
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
              duration_ms, cached_tokens, cache_write_tokens)),
    recorded AS (
      INSERT INTO entry (id, workspace_id, kind, amount, source, target, certificate_id)
      SELECT 'ent_' || substr(settled.id, 4), settled.workspace_id, 'usage', settled.usage,
             CASE WHEN p_metered THEN 'account' ELSE 'licence' END, 'usage', settled.id
      FROM settled WHERE settled.usage > 0
      ORDER BY settled.chain_index)
    SELECT sum(one.count), array_agg(one.workspace_id), array_agg(one.freed), array_agg(one.charged)
    INTO v_settled, v_workspaces, v_freed, v_charged
    FROM (SELECT workspace_id, count(*) AS count, sum(amount) AS freed, sum(usage) AS charged
          FROM settled GROUP BY workspace_id) AS one;
    IF v_settled IS DISTINCT FROM cardinality(p_certificates.id) THEN
      RAISE EXCEPTION 'not a common commit' USING ERRCODE = 'WT002';
    END IF;
  END IF;

  IF cardinality(p_reserves.id) > 0 THEN
    INSERT INTO reservation (id, workspace_id, amount, state, intent, expires_at, sent_at)
    SELECT r.id, r.workspace_id, CASE WHEN p_metered THEN greatest(r.amount, 1) ELSE 0 END, 'held',
           r.intent, clock_timestamp() + r.expires_in_ms * interval '1 millisecond',
           CASE WHEN r.intent IS NULL THEN NULL ELSE clock_timestamp() END
    FROM unnest(p_reserves.id, p_reserves.workspace_id, p_reserves.amount, p_reserves.intent,
                p_reserves.expires_in_ms) AS r (id, workspace_id, amount, intent, expires_in_ms);
  END IF;

  IF p_metered THEN
    -- The balance must cover what is held; otherwise a check constraint fails.
    UPDATE account SET held = account.held + change.held, posted = account.posted - change.charged
    FROM (SELECT one.workspace_id, sum(one.held) AS held, sum(one.charged) AS charged
          FROM (SELECT r.workspace_id, greatest(r.amount, 1) AS held, 0::bigint AS charged
                FROM unnest(p_reserves.workspace_id, p_reserves.amount) AS r (workspace_id, amount)
                UNION ALL
                SELECT s.workspace_id, -s.freed, s.charged
                FROM unnest(v_workspaces, v_freed, v_charged) AS s (workspace_id, freed, charged)
               ) AS one
          GROUP BY one.workspace_id) AS change
    WHERE account.workspace_id = change.workspace_id;
  END IF;
END $$;

-- Writes memories of an agent or, if `p_agent_id` is null, global ones of a workspace. Writers are
-- serialized by a lock, so that each statement sees the rows of the previous writer. If the value
-- or the type changes, the old ones become a revision; otherwise the write only counts as use, and
-- a mark is removed if the value is written without it. Memories are counted only if a key is new.
-- `p_drafts` is a JSON array with distinct keys. Error `WT003`: there are too many memories.
CREATE OR REPLACE FUNCTION write_scoped_memories(
  p_workspace_id text, p_agent_id text, p_origin text, p_session_id text, p_drafts jsonb,
  p_max integer
) RETURNS SETOF memory LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_draft record;
  v_memory memory;
  v_count integer;
  v_now timestamptz;
BEGIN
  PERFORM pg_advisory_xact_lock(
    hashtextextended('memories of ' || coalesce(p_agent_id, p_workspace_id), 0));
  v_now := clock_timestamp();
  FOR v_draft IN
    SELECT * FROM jsonb_to_recordset(p_drafts)
      AS draft (
        id text, key text, key_norm text, value text, type text,
        local_only boolean, tainted boolean, global_denied boolean
      )
  LOOP
    SELECT * INTO v_memory FROM memories_of(p_workspace_id, p_agent_id)
    WHERE key_norm = v_draft.key_norm;
    IF NOT FOUND THEN
      v_count := coalesce(v_count, (SELECT count(*) FROM memories_of(p_workspace_id, p_agent_id)));
      IF v_count < p_max THEN
        v_count := v_count + 1;
      ELSIF p_origin = 'tag' THEN
        -- Evicts the least recently used note that an agent wrote and that no draft replaces.
        -- Memories of the API and of other types are never evicted.
        DELETE FROM memory WHERE id = (
          SELECT id FROM memories_of(p_workspace_id, p_agent_id)
          WHERE type = 'note' AND origin = 'tag'
            AND NOT p_drafts @> jsonb_build_array(jsonb_build_object('key_norm', key_norm))
          ORDER BY used_at, id LIMIT 1
        );
        CONTINUE WHEN NOT FOUND;
      ELSE
        RAISE EXCEPTION 'This % has no more than % memories; delete some first.',
          CASE WHEN p_agent_id IS NULL THEN 'workspace' ELSE 'agent' END, p_max
          USING ERRCODE = 'WT003';
      END IF;
      INSERT INTO memory (
        id, workspace_id, agent_id, key, key_norm, value, type, origin, session_id, created_at,
        updated_at, used_at, local_only, tainted, global_denied
      ) VALUES (
        v_draft.id, p_workspace_id, p_agent_id, v_draft.key, v_draft.key_norm, v_draft.value,
        v_draft.type, p_origin, p_session_id, v_now, v_now, v_now,
        coalesce(v_draft.local_only, false), coalesce(v_draft.tainted, false),
        coalesce(v_draft.global_denied, false)
      ) RETURNING * INTO v_memory;
    ELSIF v_memory.value = v_draft.value AND v_memory.type = v_draft.type THEN
      UPDATE memory SET used_at = v_now,
        local_only = local_only AND coalesce(v_draft.local_only, true),
        tainted = tainted AND coalesce(v_draft.tainted, true),
        global_denied = global_denied AND coalesce(v_draft.global_denied, true)
      WHERE id = v_memory.id RETURNING * INTO v_memory;
    ELSE
      INSERT INTO memory_revision (
        memory_id, workspace_id, revision, key, value, type, origin, valid_from, valid_to
      ) VALUES (
        v_memory.id, p_workspace_id, v_memory.revision, v_memory.key, v_memory.value,
        v_memory.type, v_memory.origin, v_memory.updated_at, v_now
      );
      DELETE FROM memory_revision
      WHERE memory_id = v_memory.id AND revision <= v_memory.revision - 100;
      UPDATE memory SET key = v_draft.key, value = v_draft.value, type = v_draft.type,
        origin = p_origin, session_id = p_session_id, revision = v_memory.revision + 1,
        updated_at = v_now, used_at = v_now, local_only = coalesce(v_draft.local_only, false),
        tainted = coalesce(v_draft.tainted, false),
        global_denied = coalesce(v_draft.global_denied, false)
      WHERE id = v_memory.id RETURNING * INTO v_memory;
    END IF;
    RETURN NEXT v_memory;
  END LOOP;
END $$;

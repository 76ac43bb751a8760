-- Begins a debate, or returns the problem that prevents it: `no_conversation`, `debate_running` or
-- `conversation_full`. If a panel with this owner and key exists, even one that was inserted
-- concurrently, returns that panel. Debates begin in a conversation one at a time, and not while it
-- is being deleted.
CREATE OR REPLACE FUNCTION insert_debate(
  p_workspace_id text, p_debate new_debate, p_lease text, p_lease_ms float8,
  p_bytes_max bigint, p_messages_max integer
) RETURNS TABLE (problem text, id text, fingerprint text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_full boolean;
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  IF p_debate.conversation_id IS NOT NULL THEN
    SELECT c.bytes >= p_bytes_max OR c.message_count >= p_messages_max INTO v_full
    FROM conversation AS c
    WHERE c.workspace_id = p_workspace_id AND c.id = p_debate.conversation_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN QUERY SELECT 'no_conversation', NULL::text, NULL::text;
      RETURN;
    END IF;
    PERFORM FROM debate AS d
    WHERE d.conversation_id = p_debate.conversation_id AND d.state = 'running';
    IF FOUND OR v_full THEN
      RETURN QUERY SELECT CASE WHEN FOUND THEN 'debate_running' ELSE 'conversation_full' END,
        NULL::text, NULL::text;
      RETURN;
    END IF;
  END IF;
  INSERT INTO debate AS d (
    id, workspace_id, conversation_id, message_id, owner, key, question, briefing,
    request_sha256, request_id, config, fingerprint, lease, attempts, last_seq, due_at,
    created_at
  ) VALUES (
    p_debate.id, p_workspace_id, p_debate.conversation_id, p_debate.message_id, p_debate.owner,
    p_debate.key, p_debate.question, p_debate.briefing, p_debate.request_sha256,
    p_debate.request_id, p_debate.config, p_debate.fingerprint, p_lease, 1, 1,
    clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0), p_debate.created_at
  )
  ON CONFLICT (workspace_id, owner, key) WHERE owner IS NOT NULL DO UPDATE SET key = excluded.key
  RETURNING d.id, d.fingerprint INTO id, fingerprint;
  IF id = p_debate.id THEN
    IF p_debate.conversation_id IS NOT NULL THEN
      INSERT INTO conversation_message (
        id, workspace_id, conversation_id, debate_id, sender_type, created_at
      ) VALUES (
        p_debate.message_id, p_workspace_id, p_debate.conversation_id, p_debate.id, 'user',
        p_debate.created_at
      );
      UPDATE conversation AS c
      SET message_count = c.message_count + 1, bytes = c.bytes + p_debate.bytes
      WHERE c.id = p_debate.conversation_id;
    END IF;
    INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
    VALUES (p_debate.id, 1, p_workspace_id, 'started', 0, '');
  END IF;
  RETURN NEXT;
END $$;

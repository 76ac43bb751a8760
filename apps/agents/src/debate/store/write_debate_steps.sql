-- Writes steps and their events if the debate runs with this lease; otherwise returns no row.
-- `insertedAnswers` lists the 1-based indexes of the answers that were inserted. An answer that
-- exists already is retained, because it is paid for, and no second event is written. The
-- conversation is locked before its debate, the order in which a deletion locks them.
CREATE OR REPLACE FUNCTION write_debate_steps(
  p_workspace_id text, p_id text, p_lease text, p_conversation_id text,
  p_answers debate_answer_columns, p_steps debate_step_values, p_outbox debate_outbox_event,
  p_events debate_event_columns
) RETURNS TABLE ("lastSeq" integer, "userMessageId" text, "insertedAnswers" integer[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_has_messages boolean := p_conversation_id <> ''
    AND (p_steps.round_number IS NOT NULL OR p_steps.synthesis IS NOT NULL
      OR p_steps.failure IS NOT NULL);
  v_last_seq integer;
  v_open_round integer;
  v_inserted integer[] := '{}';
  v_event_count integer;
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  IF v_has_messages THEN
    PERFORM FROM conversation AS c WHERE c.id = p_conversation_id FOR NO KEY UPDATE;
  END IF;
  -- The lock serializes the writers of the debate, so that its events are numbered without gaps.
  SELECT d.last_seq, d.round_number, d.message_id INTO v_last_seq, v_open_round, "userMessageId"
  FROM debate AS d
  WHERE d.id = p_id AND d.lease = p_lease AND d.state = 'running' FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;

  IF cardinality(p_answers.round_number) > 0 THEN
    WITH given AS (
      SELECT DISTINCT ON (g.round_number, g.agent_id) g.*
      FROM unnest(p_answers.round_number, p_answers.agent_id, p_answers.agent_name,
        p_answers.message_id, p_answers.answer, p_answers.answered_at, p_answers.reason)
        WITH ORDINALITY
        AS g (
          round_number, agent_id, agent_name, message_id, answer, answered_at, reason, position
        )
      ORDER BY g.round_number, g.agent_id, g.position
    ), written AS (
      INSERT INTO debate_answer (
        debate_id, workspace_id, round_number, agent_id, agent_name, message_id, answer,
        answered_at, reason
      )
      SELECT p_id, p_workspace_id, g.round_number, g.agent_id, g.agent_name, g.message_id,
        g.answer, g.answered_at, g.reason
      FROM given AS g
      ON CONFLICT DO NOTHING RETURNING round_number, agent_id
    )
    SELECT coalesce(array_agg(g.position::integer), '{}') INTO v_inserted
    FROM given AS g JOIN written USING (round_number, agent_id);
  END IF;

  IF p_steps.round_number IS NOT NULL THEN
    INSERT INTO debate_round (debate_id, round_number, workspace_id, convergence_score, report)
    VALUES (p_id, p_steps.round_number, p_workspace_id, p_steps.convergence_score, p_steps.report);
  END IF;
  -- Answers become messages when their round ends or the debate fails.
  IF v_has_messages AND p_steps.synthesis IS NULL THEN
    WITH written AS (
      INSERT INTO conversation_message (
        id, workspace_id, conversation_id, debate_id, sender_type, round_number, agent_id,
        created_at
      )
      SELECT a.message_id, a.workspace_id, d.conversation_id, d.id, 'agent', a.round_number,
        a.agent_id, a.answered_at
      FROM debate_answer AS a
      JOIN debate AS d ON d.id = a.debate_id
      LEFT JOIN json_array_elements(d.config->'agents') WITH ORDINALITY AS agent (config, position)
        ON agent.config->>'id' = a.agent_id
      WHERE a.debate_id = p_id AND a.answer IS NOT NULL
        AND a.round_number = coalesce(p_steps.round_number, v_open_round)
      ORDER BY agent.position
      ON CONFLICT (id) DO NOTHING
      RETURNING round_number, agent_id
    ), counted AS (
      SELECT count(*) AS messages, coalesce(sum(octet_length(a.answer::text)), 0) AS bytes
      FROM written AS w JOIN debate_answer AS a
        ON a.debate_id = p_id AND a.round_number = w.round_number AND a.agent_id = w.agent_id
    )
    UPDATE conversation AS c
    SET message_count = c.message_count + counted.messages, bytes = c.bytes + counted.bytes
    FROM counted WHERE c.id = p_conversation_id AND counted.messages > 0;
  END IF;
  IF v_has_messages AND p_steps.synthesis IS NOT NULL THEN
    INSERT INTO conversation_message (
      id, workspace_id, conversation_id, debate_id, sender_type, created_at
    ) VALUES (
      p_steps.synthesis_message_id, p_workspace_id, p_conversation_id, p_id, 'synthesis',
      p_steps.synthesized_at
    );
    UPDATE conversation AS c
    SET message_count = c.message_count + 1, bytes = c.bytes + p_steps.synthesis_bytes
    WHERE c.id = p_conversation_id;
    INSERT INTO outbox (id, workspace_id, type, occurred_at, trace, payload)
    VALUES (p_outbox.id, p_workspace_id, p_outbox.type, p_outbox.occurred_at, p_outbox.trace,
      p_outbox.payload);
    -- PostgreSQL sends the notification when the transaction commits.
    PERFORM pg_notify('outbox.' || current_schema(), '');
  END IF;

  INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
  SELECT p_id, v_last_seq + row_number() OVER (ORDER BY e.position), p_workspace_id, e.kind,
    e.round_number, e.agent_id
  FROM unnest(p_events.kind, p_events.round_number, p_events.agent_id, p_events.answer_index)
    WITH ORDINALITY AS e (kind, round_number, agent_id, answer_index, position)
  WHERE e.answer_index IS NULL OR e.answer_index = ANY (v_inserted);
  GET DIAGNOSTICS v_event_count = ROW_COUNT;
  UPDATE debate AS d SET
    last_seq = v_last_seq + v_event_count,
    round_number = coalesce(p_steps.started_round, d.round_number), attempts = 1,
    frame = coalesce(p_steps.frame, d.frame), synthesis = p_steps.synthesis,
    failure = p_steps.failure,
    state = CASE WHEN p_steps.synthesis IS NOT NULL THEN 'synthesized'
      WHEN p_steps.failure IS NOT NULL THEN 'failed' ELSE d.state END,
    lease = CASE WHEN p_steps.synthesis IS NULL AND p_steps.failure IS NULL THEN d.lease END,
    ended_at = CASE WHEN p_steps.synthesis IS NOT NULL OR p_steps.failure IS NOT NULL
      THEN clock_timestamp() END
  WHERE d.id = p_id;
  "lastSeq" := v_last_seq;
  "insertedAnswers" := v_inserted;
  RETURN NEXT;
END $$;

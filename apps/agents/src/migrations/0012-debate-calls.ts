import { Migration } from '@mikro-orm/migrations';
import { OUTBOX_CHANNEL_SQL } from '@witan/service-kit';

/** Adds functions that only earlier releases call. */
export class DebateCalls extends Migration {
  override up(): void {
    for (const sql of [BEGIN_DEBATE, SAVE_DEBATE_STEPS]) this.addSql(sql);
  }
}

/**
 * Begins a debate, or returns the problem that prevents it: `no_conversation`, `debate_running` or
 * `conversation_full`. If a panel with this owner and key exists, even one that was inserted
 * concurrently, returns that panel. Debates begin in a conversation one at a time, and not while it
 * is being deleted.
 */
const BEGIN_DEBATE = `
  CREATE FUNCTION begin_debate(
    p_workspace_id text, p_id text, p_conversation_id text, p_message_id text, p_owner text,
    p_key text, p_question text, p_briefing text, p_request_sha256 text, p_request_id text,
    p_config json, p_fingerprint text, p_lease text, p_lease_ms float8, p_created_at timestamptz,
    p_bytes integer, p_bytes_max bigint, p_messages_max integer
  ) RETURNS TABLE (problem text, id text, fingerprint text) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    v_full boolean;
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    IF p_conversation_id IS NOT NULL THEN
      SELECT c.bytes >= p_bytes_max OR c.message_count >= p_messages_max INTO v_full
      FROM conversation AS c
      WHERE c.workspace_id = p_workspace_id AND c.id = p_conversation_id FOR NO KEY UPDATE;
      IF NOT FOUND THEN
        RETURN QUERY SELECT 'no_conversation', NULL::text, NULL::text;
        RETURN;
      END IF;
      PERFORM FROM debate AS d
      WHERE d.conversation_id = p_conversation_id AND d.state = 'running';
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
      p_id, p_workspace_id, p_conversation_id, p_message_id, p_owner, p_key, p_question,
      p_briefing, p_request_sha256, p_request_id, p_config, p_fingerprint, p_lease, 1, 1,
      clock_timestamp() + make_interval(secs => p_lease_ms / 1000.0), p_created_at
    )
    ON CONFLICT (workspace_id, owner, key) WHERE owner IS NOT NULL DO UPDATE SET key = excluded.key
    RETURNING d.id, d.fingerprint INTO id, fingerprint;
    IF id = p_id THEN
      IF p_conversation_id IS NOT NULL THEN
        INSERT INTO conversation_message (
          id, workspace_id, conversation_id, debate_id, sender_type, created_at
        ) VALUES (p_message_id, p_workspace_id, p_conversation_id, p_id, 'user', p_created_at);
        UPDATE conversation AS c SET message_count = c.message_count + 1, bytes = c.bytes + p_bytes
        WHERE c.id = p_conversation_id;
      END IF;
      INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
      VALUES (p_id, 1, p_workspace_id, 'started', 0, '');
    END IF;
    RETURN NEXT;
  END $$`;

/**
 * Writes steps and their events if the debate has this lease; otherwise returns no row. `kept`
 * lists the 1-based indexes of the answers that were inserted. An answer that exists already is
 * retained, because it is paid for, and no second event is written. The conversation is locked
 * before its debate, the order in which a deletion locks them.
 */
const SAVE_DEBATE_STEPS = `
  CREATE FUNCTION save_debate_steps(
    p_workspace_id text, p_id text, p_lease text, p_conversation_id text, p_frame json,
    p_answer_rounds integer[], p_answer_agents text[], p_answer_names text[],
    p_answer_messages text[], p_answers json[], p_answered_at timestamptz[],
    p_answer_reasons text[],
    p_round integer, p_score float8, p_report json, p_started_round integer,
    p_synthesis json, p_synthesis_message text, p_synthesis_bytes integer,
    p_synthesized_at timestamptz, p_failure json,
    p_fact_id uuid, p_fact_type text, p_fact_at timestamptz, p_fact_trace jsonb,
    p_fact_payload bytea,
    p_event_kinds text[], p_event_rounds integer[], p_event_agents text[],
    p_event_answers integer[]
  ) RETURNS TABLE ("lastSeq" integer, "userMessageId" text, kept integer[]) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    v_said boolean := p_conversation_id <> ''
      AND (p_round IS NOT NULL OR p_synthesis IS NOT NULL OR p_failure IS NOT NULL);
    v_last_seq integer;
    v_open_round integer;
    v_kept integer[] := '{}';
    v_told integer;
  BEGIN
    PERFORM set_config('witan.scope', p_workspace_id, true);
    IF v_said THEN
      PERFORM FROM conversation AS c WHERE c.id = p_conversation_id FOR NO KEY UPDATE;
    END IF;
    -- Until the transaction ends nobody else writes in the debate: events get their places in turn.
    SELECT d.last_seq, d.round_number, d.message_id INTO v_last_seq, v_open_round, "userMessageId"
    FROM debate AS d
    WHERE d.id = p_id AND d.lease = p_lease AND d.state = 'running' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
      RETURN;
    END IF;

    IF cardinality(p_answer_rounds) > 0 THEN
      WITH given AS (
        SELECT DISTINCT ON (g.round_number, g.agent_id) g.*
        FROM unnest(p_answer_rounds, p_answer_agents, p_answer_names, p_answer_messages, p_answers,
          p_answered_at, p_answer_reasons) WITH ORDINALITY
          AS g (round_number, agent_id, agent_name, message_id, answer, answered_at, reason, place)
        ORDER BY g.round_number, g.agent_id, g.place
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
      SELECT coalesce(array_agg(g.place::integer), '{}') INTO v_kept
      FROM given AS g JOIN written USING (round_number, agent_id);
    END IF;

    IF p_round IS NOT NULL THEN
      INSERT INTO debate_round (debate_id, round_number, workspace_id, convergence_score, report)
      VALUES (p_id, p_round, p_workspace_id, p_score, p_report);
    END IF;
    -- Answers become messages with the end of their round, or with that of a debate that failed.
    IF v_said AND p_synthesis IS NULL THEN
      WITH written AS (
        INSERT INTO conversation_message (
          id, workspace_id, conversation_id, debate_id, sender_type, round_number, agent_id,
          created_at
        )
        SELECT a.message_id, a.workspace_id, d.conversation_id, d.id, 'agent', a.round_number,
          a.agent_id, a.answered_at
        FROM debate_answer AS a
        JOIN debate AS d ON d.id = a.debate_id
        LEFT JOIN json_array_elements(d.config->'agents') WITH ORDINALITY AS agent (one, place)
          ON agent.one->>'id' = a.agent_id
        WHERE a.debate_id = p_id AND a.answer IS NOT NULL
          AND a.round_number = coalesce(p_round, v_open_round)
        ORDER BY agent.place
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
    IF v_said AND p_synthesis IS NOT NULL THEN
      INSERT INTO conversation_message (
        id, workspace_id, conversation_id, debate_id, sender_type, created_at
      ) VALUES (
        p_synthesis_message, p_workspace_id, p_conversation_id, p_id, 'synthesis',
        p_synthesized_at
      );
      UPDATE conversation AS c
      SET message_count = c.message_count + 1, bytes = c.bytes + p_synthesis_bytes
      WHERE c.id = p_conversation_id;
      INSERT INTO outbox (id, workspace_id, type, occurred_at, trace, payload)
      VALUES (p_fact_id, p_workspace_id, p_fact_type, p_fact_at, p_fact_trace, p_fact_payload);
      -- Sent at the commit.
      PERFORM pg_notify(${OUTBOX_CHANNEL_SQL}, '');
    END IF;

    INSERT INTO debate_event (debate_id, seq, workspace_id, kind, round_number, agent_id)
    SELECT p_id, v_last_seq + row_number() OVER (ORDER BY e.place), p_workspace_id, e.kind,
      e.round_number, e.agent_id
    FROM unnest(p_event_kinds, p_event_rounds, p_event_agents, p_event_answers) WITH ORDINALITY
      AS e (kind, round_number, agent_id, answer, place)
    WHERE e.answer IS NULL OR e.answer = ANY (v_kept);
    GET DIAGNOSTICS v_told = ROW_COUNT;
    UPDATE debate AS d SET
      last_seq = v_last_seq + v_told, round_number = coalesce(p_started_round, d.round_number),
      attempts = 1, frame = coalesce(p_frame, d.frame), synthesis = p_synthesis,
      failure = p_failure,
      state = CASE WHEN p_synthesis IS NOT NULL THEN 'synthesized'
        WHEN p_failure IS NOT NULL THEN 'failed' ELSE d.state END,
      lease = CASE WHEN p_synthesis IS NULL AND p_failure IS NULL THEN d.lease END,
      ended_at = CASE WHEN p_synthesis IS NOT NULL OR p_failure IS NOT NULL
        THEN clock_timestamp() END
    WHERE d.id = p_id;
    "lastSeq" := v_last_seq;
    kept := v_kept;
    RETURN NEXT;
  END $$`;

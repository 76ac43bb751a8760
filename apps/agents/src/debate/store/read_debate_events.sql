-- Returns the events of a debate after a sequence number. Without such events, returns one row with
-- a null `seq`; if the debate does not exist, no row.
CREATE OR REPLACE FUNCTION read_debate_events(p_workspace_id text, p_id text, p_after_seq integer)
RETURNS TABLE (
  seq integer, kind text, "roundNumber" integer, "agentId" text, "debateId" text,
  "userMessageId" text, "agentName" text, "messageId" text, answer text, reason text,
  "answeredAt" timestamptz, "convergenceScore" float8, report text
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY
    SELECT e.seq, e.kind, e.round_number, e.agent_id, d.id, d.message_id, a.agent_name,
      a.message_id, a.answer::text, a.reason, a.answered_at, r.convergence_score, r.report::text
    FROM debate AS d
    LEFT JOIN debate_event AS e ON e.debate_id = d.id AND e.seq > p_after_seq
    LEFT JOIN debate_answer AS a ON a.debate_id = e.debate_id
      AND a.round_number = e.round_number AND a.agent_id = e.agent_id
    LEFT JOIN debate_round AS r ON e.kind = 'round-completed'
      AND r.debate_id = e.debate_id AND r.round_number = e.round_number
    WHERE d.workspace_id = p_workspace_id AND d.id = p_id ORDER BY e.seq;
END $$;

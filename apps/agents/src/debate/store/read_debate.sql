-- Returns a debate with its answers and completed rounds. Model output is returned as text, because
-- JSON inside a JSON value would be parsed twice and rejected for unpaired surrogates.
CREATE OR REPLACE FUNCTION read_debate(p_workspace_id text, p_id text)
RETURNS TABLE (head json, answers json, rounds json) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('witan.scope', p_workspace_id, true);
  RETURN QUERY SELECT
    json_build_object('id', d.id, 'conversationId', d.conversation_id, 'messageId', d.message_id,
      'owner', d.owner, 'key', d.key, 'question', d.question, 'briefing', d.briefing,
      'requestSha256', d.request_sha256, 'requestId', d.request_id, 'config', d.config::text,
      'state', d.state, 'lastSeq', d.last_seq, 'roundNumber', d.round_number,
      'frame', d.frame::text, 'synthesis', d.synthesis::text, 'failure', d.failure::text,
      'createdAt', d.created_at),
    (SELECT coalesce(json_agg(json_build_object('roundNumber', a.round_number,
      'agentId', a.agent_id, 'agentName', a.agent_name, 'messageId', a.message_id,
      'answer', a.answer::text, 'reason', a.reason, 'answeredAt', a.answered_at)
      ORDER BY a.round_number, a.agent_id), '[]')
      FROM debate_answer AS a WHERE a.debate_id = d.id),
    (SELECT coalesce(json_agg(json_build_object('roundNumber', r.round_number,
      'convergenceScore', r.convergence_score, 'report', r.report::text)
      ORDER BY r.round_number), '[]')
      FROM debate_round AS r WHERE r.debate_id = d.id)
    FROM debate AS d WHERE d.workspace_id = p_workspace_id AND d.id = p_id;
END $$;

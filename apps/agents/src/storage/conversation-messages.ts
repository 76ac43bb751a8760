import type { Transaction } from '@witan/service-kit';
import type { ConversationMessage } from '../domain/conversation/conversation.ts';
import type { GivenSynthesis, HeldDebate } from '../domain/debate/record/debate-store.ts';
import {
  toAgentMessage,
  toSynthesisMessage,
  toUserMessage,
} from '../domain/debate/record/to-messages.ts';
import { toGivenAnswer, toGivenSynthesis } from './debate-rows.ts';
import type { AnswerRow, HeadRow } from './debate-rows.ts';

/** All of a conversation, in order. */
export const listMessages = async (
  em: Transaction,
  conversationId: string,
): Promise<ConversationMessage[]> =>
  (await em.execute<MessageRow[]>(LIST, [conversationId])).map(toMessage);

type MessageRow = AnswerRow &
  Pick<HeadRow, 'synthesis'> & {
    id: string;
    senderType: ConversationMessage['senderType'];
    debateId: string;
    question: string | null;
    createdAt: Date | string;
    conversationId: string;
  };

/** Each with what its sender said, and nothing of the others. */
const LIST = `
  SELECT said.id, said.sender_type AS "senderType", said.debate_id AS "debateId",
    said.conversation_id AS "conversationId", said.created_at AS "createdAt",
    said.round_number AS "roundNumber", said.agent_id AS "agentId",
    CASE WHEN said.sender_type = 'user' THEN debate.question END AS question,
    CASE WHEN said.sender_type = 'synthesis' THEN debate.synthesis::text END AS synthesis,
    answer.agent_name AS "agentName", answer.message_id AS "messageId",
    answer.answer::text AS answer, answer.reason, answer.answered_at AS "answeredAt"
  FROM conversation_message AS said
  JOIN debate ON debate.id = said.debate_id
  LEFT JOIN debate_answer AS answer ON said.sender_type = 'agent'
    AND answer.debate_id = said.debate_id AND answer.round_number = said.round_number
    AND answer.agent_id = said.agent_id
  WHERE said.conversation_id = ? ORDER BY said.position`;

const toMessage = (row: MessageRow): ConversationMessage => {
  const { id, debateId, conversationId, roundNumber } = row;
  const createdAt = new Date(row.createdAt);
  const place = { kind: 'conversation', conversationId, messageId: id } as const;
  switch (row.senderType) {
    case 'user':
      return toUserMessage({ id: debateId, place, question: row.question!, createdAt })!;
    case 'agent':
      return toAgentMessage({ debateId, roundNumber }, toGivenAnswer(row)!);
    case 'synthesis':
      return toSynthesisMessage(debateId, toGivenSynthesis(row)!);
  }
};

/** Puts the answers of a round, or else of every round that was not put there, into the thread. */
export const writeAgentMessages = async (
  em: Transaction,
  { id, conversationId }: HeldDebate,
  roundNumber?: number,
): Promise<void> => {
  if (conversationId === '') return;
  await em.execute(WRITE_ANSWERS, [id, roundNumber ?? null]);
};

/** In the order in which the agents are named. */
const WRITE_ANSWERS = `
  WITH written AS (
    INSERT INTO conversation_message (
      id, workspace_id, conversation_id, debate_id, sender_type, round_number, agent_id, created_at
    )
    SELECT answer.message_id, answer.workspace_id, debate.conversation_id, debate.id, 'agent',
      answer.round_number, answer.agent_id, answer.answered_at
    FROM debate_answer AS answer
    JOIN debate ON debate.id = answer.debate_id
    LEFT JOIN json_array_elements(debate.config->'agents') WITH ORDINALITY AS agent (one, place)
      ON agent.one->>'id' = answer.agent_id
    WHERE answer.debate_id = ? AND answer.answer IS NOT NULL
      AND answer.round_number = coalesce(?, debate.round_number)
    ORDER BY agent.place
    ON CONFLICT (id) DO NOTHING
    RETURNING conversation_id, debate_id, round_number, agent_id
  ), counted AS (
    SELECT written.conversation_id, count(*) AS messages,
      sum(octet_length(answer.answer::text)) AS bytes
    FROM written JOIN debate_answer AS answer USING (debate_id, round_number, agent_id)
    GROUP BY written.conversation_id
  )
  UPDATE conversation SET
    message_count = message_count + counted.messages, bytes = conversation.bytes + counted.bytes
  FROM counted WHERE conversation.id = counted.conversation_id`;

export const writeSynthesisMessage = async (
  em: Transaction,
  { id, workspaceId, conversationId }: HeldDebate,
  { messageId, synthesis, synthesizedAt }: GivenSynthesis,
): Promise<void> => {
  const values = [messageId, workspaceId, conversationId, id, synthesizedAt.toISOString()];
  await em.execute(WRITE_SYNTHESIS, values);
  await em.execute(COUNT_IN, [Buffer.byteLength(synthesis.content), conversationId]);
};

const WRITE_SYNTHESIS = `
  INSERT INTO conversation_message (
    id, workspace_id, conversation_id, debate_id, sender_type, created_at
  ) VALUES (?, ?, ?, ?, 'synthesis', ?)`;

const COUNT_IN = `
  UPDATE conversation SET message_count = message_count + 1, bytes = bytes + ? WHERE id = ?`;

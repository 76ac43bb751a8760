import type { Transaction } from '@witan/service-kit';
import type { ConversationMessage } from '../conversation/conversation.ts';
import { toAgentMessage, toSynthesisMessage, toUserMessage } from '../record/to-messages.ts';
import { toGivenAnswer, toGivenSynthesis } from './debate-rows.ts';
import type { AnswerRow, HeadRow } from './debate-rows.ts';

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

/**
 * Reads the messages of a conversation. The question and the synthesis are read only for the
 * messages that show them, not for every message of the debate.
 */
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
  const origin = { kind: 'conversation', conversationId, messageId: id } as const;
  switch (row.senderType) {
    case 'user':
      return toUserMessage({ id: debateId, origin, question: row.question!, createdAt })!;
    case 'agent':
      return toAgentMessage({ debateId, roundNumber }, toGivenAnswer(row)!);
    case 'synthesis':
      return toSynthesisMessage(debateId, toGivenSynthesis(row)!);
  }
};

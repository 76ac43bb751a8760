import type { Transaction } from '@witan/service-kit';
import type { ConversationMessage } from '../conversation/conversation.ts';
import { toAgentMessage, toSynthesisMessage, toUserMessage } from '../record/to-messages.ts';
import { toStoredAnswer, toStoredSynthesis } from './debate-rows.ts';
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
  SELECT message.id, message.sender_type AS "senderType", message.debate_id AS "debateId",
    message.conversation_id AS "conversationId", message.created_at AS "createdAt",
    message.round_number AS "roundNumber", message.agent_id AS "agentId",
    CASE WHEN message.sender_type = 'user' THEN debate.question END AS question,
    CASE WHEN message.sender_type = 'synthesis' THEN debate.synthesis::text END AS synthesis,
    answer.agent_name AS "agentName", answer.message_id AS "messageId",
    answer.answer::text AS answer, answer.reason, answer.answered_at AS "answeredAt"
  FROM conversation_message AS message
  JOIN debate ON debate.id = message.debate_id
  LEFT JOIN debate_answer AS answer ON message.sender_type = 'agent'
    AND answer.debate_id = message.debate_id AND answer.round_number = message.round_number
    AND answer.agent_id = message.agent_id
  WHERE message.conversation_id = ? ORDER BY message.position`;

const toMessage = (row: MessageRow): ConversationMessage => {
  const { id, debateId, conversationId, roundNumber } = row;
  const createdAt = new Date(row.createdAt);
  const origin = { kind: 'conversation', conversationId, messageId: id } as const;
  switch (row.senderType) {
    case 'user':
      return toUserMessage({ id: debateId, origin, question: row.question!, createdAt })!;
    case 'agent':
      return toAgentMessage({ debateId, roundNumber }, toStoredAnswer(row)!);
    case 'synthesis':
      return toSynthesisMessage(debateId, toStoredSynthesis(row)!);
  }
};

import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CouncilConversationSchema } from '@witan/contracts';
import type { ConversationService } from '@witan/contracts/services';
import type { Handlers } from '@witan/service-kit';
import type { Conversation } from '../conversation/conversation.ts';
import type { Conversations } from '../conversation/conversations.ts';
import { toConversationMessage, toDebateRound } from './to-conversation-message.ts';

type ConversationHandlers = Pick<
  Handlers<typeof ConversationService>,
  'createConversation' | 'listConversations' | 'getConversation' | 'deleteConversation'
>;

export const createConversationHandlers = (conversations: Conversations): ConversationHandlers => ({
  createConversation: async (draft, { workspaceId }) => {
    const conversation = await conversations.create(workspaceId, draft);
    return { conversation: toConversation(conversation, workspaceId) };
  },
  listConversations: async (page, { workspaceId }) => {
    const { items, nextCursor } = await conversations.list(workspaceId, page);
    return { conversations: items.map((item) => toConversation(item, workspaceId)), nextCursor };
  },
  getConversation: async ({ conversationId }, { workspaceId }) => {
    const { conversation, messages, rounds } = await conversations.get(workspaceId, conversationId);
    return {
      conversation: toConversation(conversation, workspaceId),
      messages: messages.map(toConversationMessage),
      debates: rounds.map(toDebateRound),
    };
  },
  deleteConversation: async ({ conversationId }, { workspaceId }) => {
    await conversations.remove(workspaceId, conversationId);
    return {};
  },
});

const toConversation = (
  { createdAt, ...conversation }: Conversation,
  workspaceId: string,
): MessageInitShape<typeof CouncilConversationSchema> => ({
  ...conversation,
  workspaceId,
  createdAt: timestampFromDate(createdAt),
});

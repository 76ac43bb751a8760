import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import type { LimitStreams } from '../../server/limit-streams.ts';
import type { Route } from '../../http/route.ts';
import { conversationMessageRoute, debateEventsRoute } from './conversation-message.ts';
import { conversationRoute, deleteConversationRoute } from './conversation.ts';
import { conversationsRoute, createConversationRoute } from './conversations.ts';

export const conversationRoutes = (
  conversations: Client<typeof ConversationService>,
  timeoutMs: number,
  limitStreams: LimitStreams,
): Route[] => [
  createConversationRoute(conversations),
  conversationsRoute(conversations),
  conversationRoute(conversations),
  deleteConversationRoute(conversations),
  limitStreams(conversationMessageRoute(conversations, timeoutMs)),
  limitStreams(debateEventsRoute(conversations, timeoutMs)),
];

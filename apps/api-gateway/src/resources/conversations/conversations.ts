import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { encodeAs } from '../../http/encode.ts';
import type { Route } from '../../http/route.ts';
import { nativeRoutes } from '../native-routes.ts';
import { CONVERSATION_ID } from '../resource-id.ts';
import { conversationMessageRoute, debateEventsRoute } from './conversation-message.ts';
import {
  CONVERSATION,
  CONVERSATION_WITH_MESSAGES,
  CONVERSATIONS,
  NEW_CONVERSATION,
  wholeConversation,
} from './conversation-schema.ts';
import { encodeConversationMessage, encodeDebateRound } from './encode-debate-event.ts';

const { create, list, handled, remove } = nativeRoutes('Conversations', 'conversations');

const PATH = '/v1/conversations/{id}';

export const conversationRoutes = (
  conversations: Client<typeof ConversationService>,
  timeoutMs: number,
): Route[] => [
  create('/v1/conversations', {
    id: 'createConversation',
    summary: 'Begin a conversation with the council: all agents of the workspace',
    body: NEW_CONVERSATION,
    returns: 'The conversation',
    schema: CONVERSATION,
    errors: { 400: 'title is missing, empty or too long' },
    run: ({ call, body: { title }, options }) =>
      conversations.createConversation({ title, userId: call.principal!.userId }, options),
  }),
  list('/v1/conversations', {
    id: 'listConversations',
    summary: "List the workspace's conversations, newest first",
    returns: 'The conversations',
    schema: CONVERSATIONS,
    cursorId: CONVERSATION_ID,
    run: async ({ page, options }) => {
      const found = await conversations.listConversations(page, options);
      const listed = found.conversations.map((conversation) => ({
        ...conversation,
        _count: { messages: conversation.messageCount },
      }));
      return { ...found, conversations: listed };
    },
  }),
  handled('get', PATH, {
    id: 'getConversation',
    summary: 'One conversation with everything that was said in it, and the score of each round',
    ids: { id: CONVERSATION_ID },
    responses: { 200: { description: 'The conversation', schema: CONVERSATION_WITH_MESSAGES } },
    handle: async ({ ids, options }) => {
      const found = await conversations.getConversation({ conversationId: ids.id }, options);
      const conversation = encodeAs(wholeConversation, found.conversation!, {
        messages: found.messages.map(encodeConversationMessage),
        debates: found.debates.map(encodeDebateRound),
      });
      return { status: 200, json: { conversation } };
    },
  }),
  remove(PATH, {
    id: 'deleteConversation',
    summary: 'Delete a conversation with its messages and debates; one that runs is given up',
    ids: { id: CONVERSATION_ID },
    run: ({ ids, options }) =>
      conversations.deleteConversation({ conversationId: ids.id }, options),
  }),
  conversationMessageRoute(conversations, timeoutMs),
  debateEventsRoute(conversations, timeoutMs),
];

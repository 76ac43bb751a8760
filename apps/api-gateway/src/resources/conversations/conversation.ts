import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route, RouteCall } from '../../http/route.ts';
import { CONVERSATION_WITH_MESSAGES, wholeConversation } from './conversation-schema.ts';
import { encodeConversationMessage, encodeDebateRound } from './encode-conversation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { CONVERSATION_ID } from '../resource-id.ts';
import { encodeAs } from '../../http/encode.ts';

type Conversations = Client<typeof ConversationService>;

const shared = {
  path: '/v1/conversations/{id}',
  surface: 'native',
  tag: 'Conversations',
} as const;
const notFoundError = DOCUMENTED_ERROR.native('No such conversation in this workspace');

export const conversationRoute = (conversations: Conversations): Route => ({
  ...shared,
  id: 'getConversation',
  method: 'get',
  summary: 'One conversation with everything that was said in it, and the score of each round',
  scopes: ['conversations', 'conversations:read'],
  responses: {
    200: { description: 'The conversation', schema: CONVERSATION_WITH_MESSAGES },
    404: notFoundError,
  },
  handle: async (call) => {
    const response = await conversations.getConversation(toKey(call), optionsOf(call));
    const conversation = encodeAs(wholeConversation, response.conversation!, {
      messages: response.messages.map(encodeConversationMessage),
      debates: response.debates.map(encodeDebateRound),
    });
    return { status: 200, json: { conversation } };
  },
});

export const deleteConversationRoute = (conversations: Conversations): Route => ({
  ...shared,
  id: 'deleteConversation',
  method: 'delete',
  summary: 'Delete a conversation with its messages and debates; one that runs is given up',
  scopes: ['conversations'],
  responses: { 204: { description: 'It is gone' }, 404: notFoundError },
  handle: async (call) => {
    await conversations.deleteConversation(toKey(call), optionsOf(call));
    return { status: 204 };
  },
});

const toKey = ({ params }: RouteCall): { conversationId: string } => ({
  conversationId: CONVERSATION_ID.read(params.id),
});

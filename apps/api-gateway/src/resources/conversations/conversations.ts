import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { CONVERSATION, CONVERSATIONS, NEW_CONVERSATION } from './conversation-schema.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { PAGE_QUERY, readPage } from '../list-page.ts';
import { CONVERSATION_ID } from '../resource-id.ts';
import { reply } from '../../http/encode.ts';
import type { Static } from '../../http/schema.ts';

type Conversations = Client<typeof ConversationService>;

const shared = {
  path: '/v1/conversations',
  surface: 'native',
  tag: 'Conversations',
} as const;

export const createConversationRoute = (conversations: Conversations): Route => ({
  ...shared,
  id: 'createConversation',
  method: 'post',
  summary: 'Begin a conversation with the council: all agents of the workspace',
  scopes: ['conversations'],
  body: NEW_CONVERSATION,
  idempotent: true,
  responses: {
    201: { description: 'The conversation', schema: CONVERSATION },
    400: DOCUMENTED_ERROR.native('title is missing, empty or too long'),
  },
  handle: async (call) => {
    const { title } = call.body as Static<typeof NEW_CONVERSATION>;
    const { userId } = call.principal!;
    const draft = { title, userId };
    const created = await conversations.createConversation(draft, optionsOf(call));
    return reply(201, CONVERSATION, created);
  },
});

export const conversationsRoute = (conversations: Conversations): Route => ({
  ...shared,
  id: 'listConversations',
  method: 'get',
  summary: "List the workspace's conversations, newest first",
  scopes: ['conversations', 'conversations:read'],
  query: PAGE_QUERY,
  responses: {
    200: { description: 'The conversations', schema: CONVERSATIONS },
  },
  handle: async (call) => {
    const request = readPage(call, CONVERSATION_ID.is);
    const page = await conversations.listConversations(request, optionsOf(call));
    const listed = page.conversations.map((conversation) => ({
      ...conversation,
      _count: { messages: conversation.messageCount },
    }));
    return reply(200, CONVERSATIONS, { ...page, conversations: listed });
  },
});

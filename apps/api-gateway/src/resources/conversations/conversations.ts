import type { ConversationService } from '@witan/contracts/services';
import type { Client } from '@witan/service-kit';
import { optionsOf } from '../../http/call-options.ts';
import type { Route } from '../../http/route.ts';
import { CONVERSATION, CONVERSATIONS, NEW_CONVERSATION } from './conversation-schema.ts';
import {
  encodeConversation,
  encodeListedConversation,
  isConversationId,
} from './encode-conversation.ts';
import { DOCUMENTED_ERROR } from '../../errors/error-schema.ts';
import { encodeNext, PAGE_QUERY, readPage } from '../list-page.ts';

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
    const { title } = call.body as { title: string };
    const { userId } = call.principal!;
    const draft = { title, userId };
    const { conversation } = await conversations.createConversation(draft, optionsOf(call));
    return { status: 201, json: { conversation: encodeConversation(conversation!) } };
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
    400: DOCUMENTED_ERROR.native('limit is out of range, or cursor is none that was given'),
  },
  handle: async (call) => {
    const request = readPage(call, isConversationId);
    const page = await conversations.listConversations(request, optionsOf(call));
    const encoded = page.conversations.map(encodeListedConversation);
    return { status: 200, json: { conversations: encoded, ...encodeNext(page.nextCursor) } };
  },
});

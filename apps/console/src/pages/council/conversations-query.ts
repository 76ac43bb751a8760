import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/api.ts';
import { readEvents } from '../../api/read-events.ts';
import { toTitle } from '../../ui/to-title.ts';
import type { components } from '../../gen/api.ts';

type Schemas = components['schemas'];
export type ListedConversation = Schemas['ListConversationsAnswer']['conversations'][number];
export type Conversation = Schemas['GetConversationAnswer']['conversation'];

const PAGE = 50;

export const CONVERSATIONS_KEY = ['conversations'] as const;

/** The conversations of the workspace, newest first. */
export const conversationsQuery = infiniteQueryOptions({
  queryKey: CONVERSATIONS_KEY,
  queryFn: ({ pageParam: cursor, signal }) =>
    dataOf(api.GET('/v1/conversations', { params: { query: { limit: PAGE, cursor } }, signal })),
  initialPageParam: '',
  getNextPageParam: ({ nextCursor }) => nextCursor,
});

export const conversationQuery = (id: string) =>
  queryOptions({
    queryKey: ['conversation', id],
    queryFn: async ({ signal }) =>
      (await dataOf(api.GET('/v1/conversations/{id}', { params: { path: { id } }, signal })))
        .conversation,
  });

export const deleteConversation = async (id: string): Promise<void> => {
  await dataOf(api.DELETE('/v1/conversations/{id}', { params: { path: { id } } }));
};

type Question = { conversationId: string | undefined; content: string };

/**
 * Starts the debate of a question, in a new conversation unless one is given, and returns the id of
 * the conversation. The debate continues without this page. A new conversation whose debate does
 * not start is deleted again.
 */
export const askCouncil = async ({ conversationId, content }: Question): Promise<string> => {
  if (conversationId !== undefined) {
    await startDebate(conversationId, content);
    return conversationId;
  }
  const { conversation } = await dataOf(
    api.POST('/v1/conversations', { body: { title: toTitle(content) } }),
  );
  try {
    await startDebate(conversation.id, content);
  } catch (error) {
    await deleteConversation(conversation.id);
    throw error;
  }
  return conversation.id;
};

/** Resolves at the first event, which is sent when the debate is stored. */
const startDebate = async (conversationId: string, content: string): Promise<void> => {
  const stream = new AbortController();
  const path = `/v1/conversations/${encodeURIComponent(conversationId)}/message`;
  const request = { method: 'POST', body: { content }, reconnectsMax: 0 } as const;
  try {
    const events = readEvents(path, { ...request, signal: stream.signal, isLast: () => true });
    await events.next();
  } finally {
    stream.abort();
  }
};

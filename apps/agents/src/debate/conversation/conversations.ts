import { invalidRequest, notFound, readPage } from '@witan/contracts';
import type { Page, PageRequest, ServiceError } from '@witan/contracts';
import type {
  Conversation,
  ConversationMessage,
  ConversationRound,
  ConversationStore,
} from './conversation.ts';

export type Conversations = {
  create: (workspaceId: string, draft: { title: string; userId: string }) => Promise<Conversation>;
  list: (workspaceId: string, page: PageRequest) => Promise<Page<Conversation>>;
  get: (
    workspaceId: string,
    id: string,
  ) => Promise<{
    conversation: Conversation;
    messages: ConversationMessage[];
    rounds: ConversationRound[];
  }>;
  remove: (workspaceId: string, id: string) => Promise<void>;
};

const TITLE_LENGTH_MAX = 200;

export const createConversations = ({
  store,
  newId,
  clock,
}: {
  store: ConversationStore;
  newId: (prefix: string) => string;
  clock: () => Date;
}): Conversations => ({
  create: async (workspaceId, { title, userId }) => {
    checkTitle(title);
    const conversation = { id: newId('cnv'), title, userId, createdAt: clock() };
    await store.insert(workspaceId, conversation);
    return { ...conversation, messageCount: 0 };
  },
  list: (workspaceId, page) => readPage(page, (query) => store.list(workspaceId, query)),
  get: async (workspaceId, id) => {
    const found = await store.find(workspaceId, id);
    if (!found) throw noSuchConversation();
    return found;
  },
  remove: async (workspaceId, id) => {
    if (!(await store.delete(workspaceId, id))) throw noSuchConversation();
  },
});

const checkTitle = (title: string): void => {
  const isValid = title.length <= TITLE_LENGTH_MAX && !title.includes('\0') && title.isWellFormed();
  if (isValid && title.trim() !== '') return;
  const message = `title must have 1 to ${TITLE_LENGTH_MAX} characters, none of them NUL.`;
  throw invalidRequest(message, { param: 'title' });
};

export const noSuchConversation = (): ServiceError =>
  notFound('There is no such conversation in this workspace.');

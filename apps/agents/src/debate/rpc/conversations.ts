import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { CouncilConversationSchema } from '@witan/contracts';
import type { ConversationService } from '@witan/contracts/services';
import type { Call, Handlers } from '@witan/service-kit';
import type { Conversation } from '../conversation/conversation.ts';
import type { Conversations } from '../conversation/conversations.ts';
import { cancelDebate } from '../cancel-debate.ts';
import type { CancelDebateDeps } from '../cancel-debate.ts';
import type { DebateArchive } from '../record/debate-store.ts';
import { followDebate, noSuchDebate } from '../runner/follow-debate.ts';
import type { FollowDebateDeps, FollowPosition } from '../runner/follow-debate.ts';
import type { LocalDebates } from '../runner/local-debates.ts';
import type { StartDebate } from '../start-debate.ts';
import { toConversationMessage, toDebateEvent, toDebateRound } from './to-debate-event.ts';

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

export type DebateHandlersDeps = FollowDebateDeps & {
  archive: Pick<DebateArchive, 'findProgress'>;
  start: StartDebate;
  cancel: Omit<CancelDebateDeps, 'archive' | 'onStored'>;
  localDebates: Pick<LocalDebates, 'onStored'>;
  newId: (prefix: string) => string;
};

type DebateHandlers = Pick<
  Handlers<typeof ConversationService>,
  'holdDebate' | 'followDebate' | 'getDebate' | 'cancelDebate'
>;

export const createDebateHandlers = (deps: DebateHandlersDeps): DebateHandlers => {
  async function* stream(following: FollowPosition, signals: Pick<Call, 'signal' | 'stopping'>) {
    for await (const update of followDebate(following, signals, deps)) yield toDebateEvent(update);
  }
  return {
    async *holdDebate({ conversationId, content, requestSha256, proofId, streamed }, call) {
      const { workspaceId, requestId, actorId } = call;
      const messageId = deps.newId('msg');
      const { debateId } = await deps.start(workspaceId, {
        origin: { kind: 'conversation', conversationId, messageId },
        ...(proofId === '' ? {} : { proofId }),
        question: content,
        briefing: '',
        requestSha256,
        requestId,
        actorId,
        levers: [],
        agentIds: [],
      });
      yield* stream({ workspaceId, debateId, afterSeq: 0, wantsDeltas: streamed }, call);
    },
    async *followDebate({ conversationId, debateId, afterSeq, streamed }, call) {
      const { workspaceId } = call;
      const found = await deps.archive.find(workspaceId, debateId);
      if (found?.conversationId !== conversationId) throw noSuchDebate();
      yield* stream({ workspaceId, debateId, afterSeq, wantsDeltas: streamed }, call);
    },
    getDebate: async ({ debateId }, { workspaceId }) => {
      const found = await deps.archive.findProgress(workspaceId, debateId);
      if (!found) throw noSuchDebate();
      const { conversationId, state, lastSeq, createdAt, updatedAt } = found;
      const events = await deps.archive.readEvents(workspaceId, debateId, lastSeq - 1);
      const event = events?.at(-1);
      if (!event) throw noSuchDebate();
      return {
        conversationId,
        state,
        lastEvent: toDebateEvent({ kind: 'event', event }),
        createdAt: timestampFromDate(createdAt),
        updatedAt: timestampFromDate(updatedAt),
      };
    },
    cancelDebate: async ({ debateId }, { workspaceId }) => {
      const { archive, localDebates, cancel } = deps;
      const cancelDeps = { ...cancel, archive, onStored: localDebates.onStored };
      await cancelDebate(workspaceId, debateId, cancelDeps);
      return {};
    },
  };
};

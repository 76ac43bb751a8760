import type { ConversationStore, EarlierDebate } from '../conversation/conversation.ts';
import type { StoredDebate } from './debate-store.ts';

/** Older ones have little to say to a new question, and take room in every prompt. */
const EARLIER_MAX = 10;

/** What was asked in a conversation before a debate, and what the council said, oldest first. */
export const createFindEarlier =
  ({ findEarlier }: Pick<ConversationStore, 'findEarlier'>) =>
  async (
    { id: debateId, place }: Pick<StoredDebate, 'id' | 'place'>,
    workspaceId: string,
  ): Promise<EarlierDebate[]> =>
    place.kind === 'panel'
      ? []
      : findEarlier(workspaceId, place.conversationId, { debateId, max: EARLIER_MAX });
